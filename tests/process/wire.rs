//! The wire between the clients and the nodes of a world.

use crate::stage::{acquire, first, granted, inject, pair, redis_is_here, soon, tokens};
use fencepost::client::Answer;
use fencepost::world::World;
use nemesis::{Fault, Moment};

#[tokio::test]
async fn answers_of_different_clients_interleave() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![first("SET", Moment::Reply), first("SET", Moment::Request)]).await;
    let grant = acquire(&world, "c1");
    let others = async {
        let request = soon(world.sighting()).await;
        assert_eq!((request.pattern, tokens(&world).await), (1, Some(vec![])));
        world.let_pass(request);
        let reply = soon(world.sighting()).await;
        assert_eq!(reply.pattern, 0);
        // Granted on the node, and its client does not know.
        assert!(matches!(acquire(&world, "c2").await, Answer::No(_)));
        let held = tokens(&world).await;
        world.let_pass(reply);
        held
    };
    let (grant, held) = tokio::join!(grant, others);
    assert_eq!(Some(vec![granted(grant)]), held);
}

#[tokio::test]
async fn what_was_held_of_a_crashed_client_is_dropped() {
    if !redis_is_here() {
        return;
    }
    for (moment, tokens_left) in [(Moment::Request, 0), (Moment::Reply, 1)] {
        let world = pair("", vec![first("SET", moment)]).await;
        let crash = async {
            let sighting = soon(world.sighting()).await;
            inject(&world, &Fault::Crash("c1".into())).await;
            world.let_pass(sighting);
        };
        let (answer, ()) = tokio::join!(acquire(&world, "c1"), crash);
        assert_eq!(answer, Answer::Gone);
        assert_eq!(tokens(&world).await.map(|left| left.len()), Some(tokens_left));
        assert_eq!(matches!(acquire(&world, "c2").await, Answer::Ok(_)), tokens_left == 0);
    }
}
