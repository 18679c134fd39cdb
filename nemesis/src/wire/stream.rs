//! What every connection through the wire has to pass, and connections between nodes, which nobody parses: once a replica has asked for its
//! master's writes there is no reply to any request any more.

use super::link::{End, Flow};
use super::severance::Severed;
use crate::Moment;
use std::future::pending;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};

impl Flow<'_> {
    /// Waits until so many bytes that have come, or the end of their stream, may go on. Where they are lost that is never: the connection ends
    /// when its link is mended.
    pub(super) async fn passage(&self, moment: Moment, bytes: usize) {
        let (from, to) = self.link.ends(moment);
        let severances = &self.board.orders.severances;
        let mut met = severances.meets(from, to, bytes);
        while let Some(how) = met {
            if how == Severed::Lost {
                self.board.torn(self.link);
                return pending().await;
            }
            self.board.freeze(self.link);
            let mended = severances.next_mended();
            if severances.now(from, to).is_some() {
                mended.await;
            }
            met = severances.now(from, to);
        }
    }

    async fn onward(&self, to: &mut WriteHalf<'_>, bytes: &[u8], moment: Moment) -> io::Result<()> {
        match moment {
            Moment::Request => self.send(to, bytes).await,
            Moment::Reply => to.write_all(bytes).await,
        }
    }

    /// Passes on one direction of a connection between nodes as it comes.
    pub(super) async fn stream(&self, mut from: ReadHalf<'_>, mut to: WriteHalf<'_>, moment: Moment) -> End {
        let mut bytes = vec![0; super::link::CHUNK];
        let (writer_gone, reader_closed) = match moment {
            Moment::Request => (End::NodeGone, End::CallerGone),
            Moment::Reply => (End::CallerGone, End::NodeClosed),
        };
        loop {
            let read = from.read(&mut bytes).await;
            if moment == Moment::Request && !matches!(read, Ok(1..)) {
                self.hung_up();
            }
            if moment == Moment::Reply {
                self.came(*read.as_ref().unwrap_or(&0));
            }
            self.passage(moment, *read.as_ref().unwrap_or(&0)).await;
            match read {
                Ok(0) => return reader_closed,
                Ok(some) if self.onward(&mut to, &bytes[..some], moment).await.is_err() => return writer_gone,
                Ok(_) => self.board.thawed(self.link),
                Err(_) if moment == Moment::Reply => return End::NodeGone,
                Err(_) => return End::CallerGone,
            }
        }
    }
}
