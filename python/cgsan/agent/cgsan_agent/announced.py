"""Methods and attributes that say when they are used, without a frame of Python around them."""

import functools

from .replays.chained import chained

# They may be used until Python has ended, when the names of a module lead nowhere: neither needs one to announce.


class AnnouncedMethod:
    """A method that says when it is about to be called.

    Looking it up on an instance is what says so. The caller gets the original method, so that no
    traceback gains a frame and the call itself is unchanged; or, to say as well that the call has
    returned, the original with `afterwards` chained to it.
    """

    def __init__(self, original, announce, afterwards=None):
        self._original = original
        self._announce = announce
        self._afterwards = afterwards

    def __get__(self, instance, owner=None):
        if instance is not None:
            try:  # noqa: SIM105
                self._announce(instance)
            except Exception:
                pass
        method = self._original.__get__(instance, owner)
        if instance is None or self._afterwards is None:
            return method
        return chained(method, functools.partial(self._afterwards, instance))


class AnnouncedAttribute:
    """An attribute of instances that says when it is read; its value stays where it was."""

    def __init__(self, name, announce):
        self._name = name
        self._announce = announce

    def __get__(self, instance, owner=None):
        if instance is None or self._name not in vars(instance):
            raise AttributeError(self._name)
        try:  # noqa: SIM105
            self._announce(instance)
        except Exception:
            pass
        return vars(instance)[self._name]

    def __set__(self, instance, value):
        vars(instance)[self._name] = value


def announce_calls(owner, name, announce, afterwards=None):
    """Makes `owner.name` announce its calls, and what comes after them; once. What follows must return None."""
    original = vars(owner).get(name)
    if original is not None and not isinstance(original, AnnouncedMethod):
        setattr(owner, name, AnnouncedMethod(original, announce, afterwards))
