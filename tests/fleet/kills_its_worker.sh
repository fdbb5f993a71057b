#!/bin/sh
# Stands in for the command `cgsan`. At one trace, the first time, it kills the process that started it, or itself.
case "$*" in
*"$CGSAN_TEST_KILL_AT"*)
    if mkdir "$CGSAN_TEST_KILLED" 2>/dev/null; then
        if [ "$CGSAN_TEST_KILL" = worker ]; then kill -9 "$PPID"; else kill -9 $$; fi
    fi
    ;;
esac
exec "$CGSAN_TEST_COMMAND" "$@"
