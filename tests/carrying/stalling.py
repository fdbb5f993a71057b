"""A file system that stops answering when it is told to: a folder seen through FUSE.

    python stalling.py FOLDER MOUNT CONTROL [whole]

While the file CONTROL says `stall`, whatever is asked of the mount waits; `eio`, `enospc` and `estale` are answered with these errors. With
`whole` it is like the mount of an object store: files are written once, from the beginning to the end, and cannot be renamed.
Needs `mfusepy` and libfuse.
"""

import errno
import os
import sys
import time

import mfusepy as fuse

ERRORS = {"eio": errno.EIO, "enospc": errno.ENOSPC, "estale": errno.ESTALE}


class Stalling(fuse.Operations):
    """The folder, as long as it is to answer."""

    use_ns = True

    def __init__(self, folder, control, whole):
        self.folder = folder
        self.control = control
        self.whole = whole

    def there(self, path):
        return self.folder + path

    def answer(self):
        """Waits as long as nothing is to be answered, and fails where that is asked for."""
        while True:
            try:
                with open(self.control, encoding="utf-8") as file:
                    word = file.read().strip()
            except FileNotFoundError:
                return
            if word in ERRORS:
                raise fuse.FuseOSError(ERRORS[word])
            if word != "stall":
                return
            time.sleep(0.05)

    def getattr(self, path, fh=None):
        self.answer()
        about = os.lstat(self.there(path))
        times = {
            name: getattr(about, name + "_ns") for name in ("st_atime", "st_ctime", "st_mtime")
        }
        rest = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid")
        return times | {name: getattr(about, name) for name in rest}

    def readdir(self, path, fh):
        self.answer()
        return [".", "..", *os.listdir(self.there(path))]

    def create(self, path, mode, fi=None):
        self.answer()
        return os.open(self.there(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def open(self, path, flags):
        self.answer()
        is_written = flags & (os.O_WRONLY | os.O_RDWR)
        if self.whole and is_written and not flags & os.O_TRUNC:
            raise fuse.FuseOSError(errno.EPERM)
        return os.open(self.there(path), flags & ~os.O_APPEND)

    def read(self, path, size, offset, fh):
        self.answer()
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        self.answer()
        if self.whole and offset != os.fstat(fh).st_size:
            raise fuse.FuseOSError(errno.EOPNOTSUPP)
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        self.answer()
        os.truncate(self.there(path), length)

    def fsync(self, path, datasync, fh):
        self.answer()
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)

    def unlink(self, path):
        self.answer()
        os.unlink(self.there(path))

    def mkdir(self, path, mode):
        self.answer()
        os.mkdir(self.there(path), mode)

    def rmdir(self, path):
        self.answer()
        os.rmdir(self.there(path))

    def rename(self, old, new):
        self.answer()
        if self.whole:
            raise fuse.FuseOSError(errno.EOPNOTSUPP)
        os.rename(self.there(old), self.there(new))

    def chmod(self, path, mode):
        self.answer()
        os.chmod(self.there(path), mode)

    def statfs(self, path):
        about = os.statvfs(self.there(path))
        names = ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_frsize", "f_namemax")
        return {name: getattr(about, name) for name in names}


def main():
    folder, mount, control, *rest = sys.argv[1:]
    system = Stalling(os.path.realpath(folder), os.path.abspath(control), "whole" in rest)
    fuse.FUSE(system, mount, foreground=True, nothreads=False)


if __name__ == "__main__":
    main()
