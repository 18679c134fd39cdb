//! Finds the kernel's own `clock_gettime` in the page of code that it maps into every process (vdso(7)).
//!
//! The C library's would be found again by our own name, and `dlsym` allocates, which a process whose allocator asks for the time does not survive.

use core::ffi::{CStr, c_char, c_ulong};

#[cfg(target_arch = "x86_64")]
const NAME: &CStr = c"__vdso_clock_gettime";
#[cfg(target_arch = "aarch64")]
const NAME: &CStr = c"__kernel_clock_gettime";

const AT_SYSINFO_EHDR: c_ulong = 33;
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

/// The header of an ELF file, from which only the table of its segments is wanted.
#[repr(C)]
struct Header {
    _before: [u8; 32],
    segments: u64,
    _sections: u64,
    _flags: u32,
    _size: u16,
    segment_size: u16,
    segment_count: u16,
}

#[repr(C)]
struct Segment {
    kind: u32,
    _flags: u32,
    offset: u64,
    address: u64,
}

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

#[repr(C)]
struct Symbol {
    name: u32,
    _info: u16,
    section: u16,
    value: u64,
    _size: u64,
}

/// Where it is; none where the kernel maps none, or it looks like nothing that we know.
pub unsafe fn clock_gettime() -> Option<usize> {
    // SAFETY: the kernel maps a whole ELF file there, and what its tables say of themselves is true.
    unsafe {
        let base = super::libc::getauxval(AT_SYSINFO_EHDR) as usize;
        if base == 0 {
            return None;
        }
        let header = &*(base as *const Header);
        let segment = |n: u16| {
            let at = base + header.segments as usize + usize::from(n) * usize::from(header.segment_size);
            &*(at as *const Segment)
        };
        let find = |kind| (0..header.segment_count).map(segment).find(|segment| segment.kind == kind);
        let load = find(PT_LOAD)?;
        let slide = base.wrapping_add(load.offset as usize).wrapping_sub(load.address as usize);
        let dynamic = base + find(PT_DYNAMIC)?.offset as usize;
        let table = |tag| {
            let mut entry = dynamic as *const Dynamic;
            while (*entry).tag != DT_NULL {
                if (*entry).tag == tag {
                    return Some(slide.wrapping_add((*entry).value as usize));
                }
                entry = entry.add(1);
            }
            None
        };
        let (names, symbols) = (table(DT_STRTAB)?, table(DT_SYMTAB)? as *const Symbol);
        let count = match (table(DT_HASH), table(DT_GNU_HASH)) {
            (Some(hash), _) => *(hash as *const u32).add(1),
            (None, Some(hash)) => symbols_of_gnu_hash(hash as *const u32),
            (None, None) => 0,
        };
        (0..count as usize)
            .map(|n| &*symbols.add(n))
            .find(|symbol| symbol.section != 0 && same((names + symbol.name as usize) as *const c_char, NAME))
            .map(|symbol| slide.wrapping_add(symbol.value as usize))
    }
}

/// How many symbols there are, by a hash table that does not say so: one more than the last of its longest chain.
unsafe fn symbols_of_gnu_hash(table: *const u32) -> u32 {
    // SAFETY: as above.
    unsafe {
        let (buckets, first, bloom) = (*table, *table.add(1), *table.add(2));
        let bucket = table.add(4 + 2 * bloom as usize);
        let chain = bucket.add(buckets as usize);
        let mut last = 0;
        for n in 0..buckets as usize {
            last = last.max(*bucket.add(n));
        }
        if last < first {
            return 0;
        }
        while *chain.add((last - first) as usize) & 1 == 0 {
            last += 1;
        }
        last + 1
    }
}

unsafe fn same(mut text: *const c_char, name: &CStr) -> bool {
    // SAFETY: a C string is read no farther than its end.
    unsafe {
        for byte in name.to_bytes_with_nul() {
            if *text as u8 != *byte {
                return false;
            }
            text = text.add(1);
        }
        true
    }
}
