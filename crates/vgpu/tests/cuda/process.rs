//! Forks.

use crate::runtime::{cudaFree, my_turn, ok};

/// `cudaErrorInitializationError`.
const NOT_INITIALIZED: i32 = 3;

#[test]
fn the_child_of_a_process_that_used_cuda_cannot_use_it() {
    let _turn = my_turn();
    ok!(cudaFree(0));
    // SAFETY: the child calls one function of the library, which takes no lock there, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above.
        unsafe { libc::_exit(cudaFree(0)) };
    }
    let mut status = 0;
    // SAFETY: the child is this process's own.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status));
    assert_eq!(libc::WEXITSTATUS(status), NOT_INITIALIZED);
    ok!(cudaFree(0));
}
