//! What a plan cannot ask of a cluster, or of masters with replicas, is refused with its line.

use fencepost::plan::read;

const CLUSTER: &str = include_str!("../scenarios/cluster-failover.toml");
const PAIRS: &str = include_str!("../scenarios/redlock-over-replicas.toml");

/// What is said of a plan with one text in it replaced.
fn complaint(plan: &str, from: &str, to: &str) -> String {
    assert!(plan.contains(from), "{from}");
    read("plan.toml", plan.replacen(from, to, 1)).expect_err(to).to_string()
}

#[test]
fn what_a_cluster_does_not_have_is_named_with_its_line() {
    let fault = "{ freeze-replication = { node = \"n6\" } }";
    let cases = [
        ("masters = 3", "masters = 2", "a cluster of 2 masters cannot agree that one of them is dead"),
        ("masters = 3", "masters = 6", "6 masters are more than one machine is asked to bear"),
        ("masters = 3", "masters = 3\nnodes = 6", "a cluster counts its masters"),
        ("masters = 3", "masters = 3\nsentinels = 3", "nobody watches the master here"),
        ("masters = 3\nreplicas = 1", "masters = 5\nreplicas = 3", "20 nodes in all are more than one machine is asked to bear"),
        ("\"cluster\"\nmasters = 3", "\"replicas\"", "there is no cluster here that a client could find its way in"),
        ("kind = \"cluster\"", "kind = \"sentinel\"", "only a cluster counts its masters"),
        ("\"cluster-connection\"", "\"cluster-conection\"", "did you mean `cluster-connection`?"),
        (fault, "{ freeze-replication = { node = \"n7\" } }", "there is no replica `n7`"),
        (fault, "{ promote = { node = \"n4\", told = [\"c2\"] } }", "a cluster tells clients by itself"),
        ("replicas = 1", "replicas = 0", "no node has a replica here"),
        (
            "client = ",
            "wait = { replicas = 2, timeout_ms = 100, reply = \"checked\" }\nclient = ",
            "2 replicas cannot acknowledge where there are 1",
        ),
        (
            "kind = \"set-nx-px\"",
            "kind = \"reentrant-watchdog\"\nwaits = \"subscribed\"",
            "a client hears what one node publishes",
        ),
        ("kind = \"set-nx-px\"", "kind = \"redlock\"\nquorum = 4", "no grant can be on 4 nodes where there are 3 nodes"),
    ];
    for (from, to, sentence) in cases {
        let complaint = complaint(CLUSTER, from, to);
        assert!(complaint.contains(sentence), "{sentence}\n{complaint}");
        assert!(complaint.contains("plan.toml:") && complaint.contains('^'), "{complaint}");
    }
}

#[test]
fn what_independent_masters_with_replicas_do_not_have_is_named_with_its_line() {
    let cases = [
        ("replicas = 1", "replicas = 9", "9 replicas are more than one machine is asked to bear"),
        ("replicas = 1", "replicas = 0", "with no replica there is nothing to fail over to"),
        ("replicas = 1\n", "", "no node has a replica here"),
        ("node = \"n5\"", "node = \"n3\"", "`n3` is a master"),
        ("node = \"n5\"", "node = \"n7\"", "there is no replica `n7`"),
        ("ttl_ms = 10000", "ttl_ms = 10000\nquorum = 4", "no grant can be on 4 nodes where there are 3 nodes"),
    ];
    for (from, to, sentence) in cases {
        let complaint = complaint(PAIRS, from, to);
        assert!(complaint.contains(sentence), "{sentence}\n{complaint}");
        assert!(complaint.contains("plan.toml:") && complaint.contains('^'), "{complaint}");
    }
}
