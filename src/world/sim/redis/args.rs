//! A view of arguments that lie elsewhere.

/// More arguments than any lock sends; longer commands take a vector.
const FEW: usize = 12;

/// Hands a slice of arguments to `body`, without allocating where they are few.
pub(super) fn gathered<'a, R>(args: impl ExactSizeIterator<Item = &'a [u8]>, body: impl FnOnce(&[&'a [u8]]) -> R) -> R {
    let count = args.len();
    if count > FEW {
        return body(&args.collect::<Vec<_>>());
    }
    let mut few: [&[u8]; FEW] = [&[]; FEW];
    for (place, arg) in few.iter_mut().zip(args) {
        *place = arg;
    }
    body(&few[..count])
}
