//! Prints the verdict on each history that is named, by the model that its content suggests.

use checker::engine::{Limits, Outcome};
use checker::format::{self, BadLines, Content};
use checker::model::Name;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        let (records, model, initial) = match format::open(Path::new(&name), BadLines::Refuse)? {
            Content::Objects(objects) => (objects.records, objects.model, objects.initial),
            Content::Locks(locks) => (locks.records()?.0, Name::FencedMutex, Default::default()),
            Content::Events(_) => return Err("this is a run's own history".into()),
        };
        for part in model.check(&initial, &records, &Limits::default())? {
            let key = part.key.map(|key| format!(" {key}")).unwrap_or_default();
            match part.outcome {
                Outcome::Linearizable { .. } => {
                    println!("{name}:{key} {model}: linearizable, {} operations", part.operations.len())
                }
                Outcome::Unknown(stuck, bound) => {
                    println!("{name}:{key} {model}: no answer ({bound:?}); at line {}", records[stuck.operation].line)
                }
                Outcome::Violation(stuck) => {
                    println!("{name}:{key} {model}: NOT linearizable");
                    let states = stuck.states.join(" or ");
                    println!("  line {} fits none of the states possible there: {states}", records[stuck.operation].line);
                    println!("  whatever the others did, these cannot be explained:");
                    for index in part.minimal {
                        let record = &records[index];
                        let value =
                            record.value.as_ref().or(record.token.as_ref()).map(|value| format!(" {value}")).unwrap_or_default();
                        let ret = record.ret.map_or("…".into(), |ret| ret.to_string());
                        let (line, client, action, answer) = (record.line, &record.client, record.action.name(), record.answer);
                        println!("    line {line}: client {client} {action}{value} [{}, {ret}] {answer:?}", record.call);
                    }
                }
            }
        }
    }
    Ok(())
}
