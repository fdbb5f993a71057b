//! The code that leads a function elsewhere.

/// `jmp *0(%rip)`: to the address that follows it (Intel 64 and IA-32 Architectures Software Developer's Manual, `JMP`).
const JUMP: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];

/// How many bytes of a function are written over.
pub const BYTES: usize = JUMP.len() + size_of::<u64>();

/// The bytes that a function begins with which is led to the one at an address.
pub fn to(address: usize) -> [u8; BYTES] {
    let mut code = [0; BYTES];
    code[..JUMP.len()].copy_from_slice(&JUMP);
    code[JUMP.len()..].copy_from_slice(&(address as u64).to_le_bytes());
    code
}
