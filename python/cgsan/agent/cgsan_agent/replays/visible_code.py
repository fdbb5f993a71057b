"""The program's code that can be seen from a capture, and its lines that may change a value or draw random numbers."""

import sys

from . import advances, emptied, paths, stores


class VisibleCode:
    """The program's code that can be seen from a capture, looked for when it is first needed."""

    def __init__(self, stack):
        self._stack = stack
        self._codes = None
        self._region = None

    def region(self, began):
        """What a captured region may call, with where its frames were when the capture began."""
        if self._region is None:
            self._region = emptied.Region(self._stack, began, self.all())
        return self._region

    def all(self):
        if self._codes is None:
            self._codes = stores.codes_of(self._stack)
        return self._codes

    def advances(self, visited, step, kind):
        """The lines that may have moved a value on: those of its own class, if there are some."""
        path = (visited.path, *step)
        found = advances.find(path, kind, self.all())
        if step[0] == paths.ATTRIBUTE:
            methods = set(stores.of_class(type(visited.value)))
            found = [line for line in found if line.code in methods] or found
            name = stores.last_name(visited.path)
            found = [line for line in found if line.is_of(name, methods)] or found
        return found

    def draws(self, generator):
        """The lines that draw random numbers from a shared generator."""
        return advances.draws(generator, self.all(), self._scope)

    def _scope(self, code):
        for frame in self._stack:
            if frame.f_code.co_filename == code.co_filename:
                return frame.f_globals
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) == code.co_filename:
                return vars(module)
        return None
