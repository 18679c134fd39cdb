//! The README's example: a lock's log as operations, and what cannot be explained in it.

use checker::engine::{Limits, Outcome};
use checker::format::{self, BadLines, Content};
use checker::history::Value;
use checker::model::Name;

const LOG: &str = r#"
{"client":"billing-1","op":"acquire","key":"order:42","token":"a1","call":1000,"return":1900,"ok":true}
{"client":"billing-2","op":"acquire","key":"order:42","token":"b1","call":2000,"return":2700,"ok":false}
{"client":"billing-2","op":"acquire","key":"order:42","token":"b2","call":5000,"return":5600,"ok":true}
{"client":"billing-1","op":"release","key":"order:42","token":"a1","call":9000,"return":9400,"ok":true}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Content::Locks(locks) = format::read(LOG.as_bytes(), "log", BadLines::Refuse)? else { unreachable!("it has acquires") };
    let (records, _) = locks.records()?;
    for lock in Name::FencedMutex.check(&Value::Nil, &records, &Limits::default())? {
        let name = lock.key.unwrap_or_default();
        match lock.outcome {
            Outcome::Linearizable { .. } => println!("{name}: one holder at a time"),
            Outcome::Unknown(_, bound) => println!("{name}: no answer within the limit of {bound:?}"),
            Outcome::Violation(stuck) => {
                println!("{name}: two holders; line {} when it was {}", records[stuck.operation].line, stuck.states.join(" or "));
                for index in lock.minimal {
                    println!("  line {}: {} {}", records[index].line, records[index].client, records[index].action.name());
                }
            }
        }
    }
    Ok(())
}
