"""Programs that ask a plugin whether it is ready, and how long after a change they saw it."""

import re
import subprocess
import threading
import time

# No change may take longer to be seen. It is far above the interval of the checks, so that a slow machine passes, and
# above the second that ProbeForever and `probe --wait` let pass between two questions.
LIMIT_SECONDS = 2.0
# How long a program may take to come up.
START_SECONDS = 20.0
# Should this be killed, the programs end all the same.
BOUNDED = ["timeout", "--kill-after=5", "60"]


class Wrong(Exception):
    """A caller saw something else than what it has to see."""


class Caller:
    """A running program that prints a line for what it sees."""

    def __init__(self, title, command, log):
        self.title = title
        self.lines = []  # each with the time at which it came
        self.news = threading.Condition()
        self.process = subprocess.Popen(BOUNDED + command, stdout=subprocess.PIPE, stderr=log, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append((time.monotonic(), line.rstrip("\n")))
                self.news.notify_all()

    def saw(self, pattern, since, limit=LIMIT_SECONDS, count=1):
        """Waits for that many lines that match and come between `since` and the limit; returns the last one's seconds."""
        with self.news:
            while True:
                later = [(at - since, line) for at, line in self.lines if 0 <= at - since <= limit]
                seen = [seconds for seconds, line in later if re.fullmatch(pattern, line)]
                if len(seen) >= count:
                    return seen[count - 1]
                left = since + limit - time.monotonic()
                if left <= 0 or not self.news.wait(left):
                    last = self.lines[-1][1] if self.lines else "nothing"
                    raise Wrong(f"{self.title} has to print {pattern!r} within {limit:g} s; it printed last: {last}")

    def still_waits(self, pattern):
        """Makes sure that it runs, and has printed no line but such."""
        with self.news:
            others = [line for _, line in self.lines if not re.fullmatch(pattern, line)]
        if others or self.process.poll() is not None:
            raise Wrong(f"{self.title} has to go on waiting; it ended or printed: {others}")

    def ended(self, code):
        """Makes sure that it ends with that exit code."""
        found = self.process.wait(LIMIT_SECONDS)
        if found != code:
            raise Wrong(f"{self.title} has to end with exit code {code}, not {found}")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def probe_until(command, code, pattern, since):
    """Runs a program again and again until it ends and prints as it has to; returns the seconds since then."""
    while True:
        done = subprocess.run(BOUNDED + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seconds = time.monotonic() - since
        right = done.returncode == code and re.search(pattern, done.stdout)
        if right and seconds <= LIMIT_SECONDS:
            return seconds
        if seconds > LIMIT_SECONDS:
            raise Wrong(
                f"{' '.join(command)} has to end with exit code {code} and print {pattern!r} within {LIMIT_SECONDS:g} s;"
                f" it ended with {done.returncode} and printed: {done.stdout.strip()}"
            )
        time.sleep(0.01)
