"""What the program has switched or registered since a capture, and what the region does otherwise for that reason."""

from . import called, compare, modes, world
from .names import of_region, of_tensor


class Region:
    """A region in a child, that is run as it was captured, and in other modes."""

    def __init__(self, then, source, variables, state, give):
        self._then = then
        self._source = source
        self._variables = variables
        self._state = state
        self._give = give
        self._now = modes.current()

    def as_captured(self):
        """What it does now in the modes of its capture."""
        return self._run({}, {})

    def hook(self, now, difference):
        """The hook, registered or removed since the capture, that the difference is in; None if it is in none."""
        then = self._then
        hooks = now.called.hooks
        added, removed = called.hooks_since(then.hooks, then.next_hook, hooks, now.called.next_hook)
        for side, found, is_added in (("now", added, True), ("then", removed, False)):
            if difference.get(side):
                hook = called.ran(found, difference[side]["stack"])
                if hook is not None:
                    return {"hook": {"added": is_added, **hook}}
        return None

    def learning(self, now):
        """The parameters that require gradients since the capture and are given them now, if nothing else has the region do something
        else."""
        then, *_ = self._then.work()
        given = compare.from_outside(then)
        since = [
            it
            for key, it in now.learning.items()
            if key not in self._then.learning
            and it.grad is not None
            and it.untyped_storage().data_ptr() in given
        ]
        if not since:
            return None
        for it in since:
            it.requires_grad_(False).grad = None
        without = self._run({}, {}).work()
        if compare.compare(self._then.work(), without):
            return None
        name = of_tensor(since[0], self._source, self._variables)
        return {"learns": {"parameter": name, "others": len(since) - 1}}

    def frozen(self, now):
        """The same of parameters that required gradients at the capture, were given them, and require none since, as a mode that was
        switched."""
        since = [it for key, it in now.frozen.items() if key in self._then.learning]
        if not since:
            return None
        for it in since:
            it.requires_grad_(True).grad = None
        learning = self._run({}, {}).work()
        if compare.compare(self._then.work(), learning) or all(it.grad is None for it in since):
            return None
        name = of_tensor(since[0], self._source, self._variables)
        flag = f"{name}.requires_grad" if name is not None else "requires_grad"
        return {"mode": {"name": flag, "captured": "True", "eager": "False"}}

    def switched(self, now):
        """What it does otherwise in a mode of now, and that mode, if all else is as it was: running it again changes nothing."""
        switches = [
            ({name: self._now[name]}, {}, name)
            for name in modes.switched(self._then.modes, self._now)
        ]
        retrained = called.retrained(self._then.training, now.called.training)
        if retrained:
            switches.append(({}, {it: now.called.training[it] for it in retrained}, None))
        for given, training, name in switches:
            run = self._run(given, training)
            differences = compare.compare(now.work(), run.work())
            is_asked = name not in modes.ASKED_FOR or name in run.asked_for
            if (
                differences
                and is_asked
                and not compare.compare(now.work(), self._run({}, {}).work())
            ):
                return differences, {"mode": self._mode(name, retrained)}
        return [], None

    def _run(self, given, training):
        return world.run(
            self._source,
            self._variables,
            self._state,
            self._give,
            dict(self._then.had_gradients),
            given={**self._then.modes, **given},
            training={**self._then.training, **training},
        )

    def _mode(self, name, retrained):
        if name is not None:
            values = self._then.modes[name], self._now[name]
        else:
            flag = self._then.training[retrained[0]]
            values = flag, not flag
            variables = of_region(self._source, self._variables)
            owner = called.name_of(retrained[0], variables, dict(self._source.globals))
            name = f"{owner or retrained[0][1]}.training"
        captured, eager = map(modes.in_words, values)
        return {"name": name, "captured": captured, "eager": eager}
