#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows a bug of a server that depends on the order of its threads, on the server as it is.

Beside it lies reproduce.json: statements of two or more clients, and the places at which their
threads are held while another one goes on. It starts a private server (a folder of its own, a unix
socket, no network, no root), plays that round after round, and compares replies and state with
those of every order in which one request comes after the other, had on the same server. A thread is
held by a hardware breakpoint in that one thread (ptrace, debug registers of x86-64): no other
thread stops, no code is changed. On a machine without such registers, as some virtual ones are, by
an instruction in the code that stops whoever comes there; all but the one go on. Needs python3 and
the server, nothing else.

  python3 reproduce.py [--server PROGRAM] [--rounds 20] [--file reproduce.json] [--json]
  python3 reproduce.py --serve [--server PROGRAM]    the same server, set up, to do it by hand

Exit status: 1 violated at least once; 0 held as told, and never violated; 2 cannot say: the server
has no such place, never came there, stood still or died for another reason, this machine forbids
it, wrong use.
"""
import argparse
import collections
import contextlib
import ctypes
import errno
import functools
import itertools
import json
import os
import platform
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

START_LIMIT_S = 90      # of a server, and of making its data
REPLY_LIMIT_S = 30      # of statements with nothing beside them
SEGMENT_LIMIT_S = 10    # until a thread is where it should be
BLOCKED_S = 0.1         # asleep so long outside its socket: it waits for another one
STANDSTILL_S = 1.0      # all that are left are so, with nobody held
MOST_ORDERS = 200
WAITS = 'it waits for another one, '
OWN_THREAD = "a thread of the server's own"
REPEATS = 3             # of each order, to see what differs by itself
SLOTS = 4               # debug registers


class Cannot(Exception):
    """This machine, this server or this use does not allow it; one line."""


class ServerDied(Exception):
    pass


# -- The program's file: functions by name, calls by their return address ---------------------------


def mangled_form(name):
    """What a C++ function's symbol begins with, as a pattern: "A::b" -> _ZN1A1b."""
    parts = name.split('::')
    if not all(re.fullmatch(r'\w+', part) for part in parts):
        return None
    coded = ''.join('%d%s' % (len(part), part) for part in parts)
    if len(parts) == 1:
        return re.compile(r'_ZL?%s(?=[^\d])(?!.*\.cold)' % coded)
    return re.compile(r'_ZNK?%sE(?!.*\.cold)' % coded)


class Elf:
    """Addresses are relative to where the file's first part is mapped."""

    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as file:
            self.bytes = file.read()
        if self.bytes[:5] != b'\x7fELF\x02':
            raise Cannot('%s: no program of 64 bits' % path)
        header = struct.unpack_from('<16sHHIQQQIHHHHHH', self.bytes)
        self.loads, self.build_id = [], ''
        for i in range(header[10]):
            kind, _, offset, address, _, size, _, _ = struct.unpack_from(
                '<IIQQQQQQ', self.bytes, header[5] + i * header[9])
            if kind == 1:
                self.loads.append((address, offset, size))
            if kind == 4:
                self.read_notes(offset, offset + size)
        self.first = min(address for address, _, _ in self.loads) & ~0xfff
        self.sections = [struct.unpack_from('<IIQQQQIIQQ', self.bytes, header[6] + i * header[11])
                         for i in range(header[12])]
        self.known = None

    def read_notes(self, at, end):
        while at + 12 <= end:
            name_size, size, kind = struct.unpack_from('<III', self.bytes, at)
            data = at + 12 + (name_size + 3 & ~3)
            if kind == 3 and self.bytes[at + 12:at + 15] == b'GNU':
                self.build_id = self.bytes[data:data + size].hex()
            at = data + (size + 3 & ~3)

    def functions(self):
        if self.known is None:
            self.known = {}
            for section in self.sections:
                if section[1] not in (2, 11):  # symtab, dynsym
                    continue
                names = self.sections[section[6]][4]
                table = self.bytes[section[4]:section[4] + section[5]]
                for name, info, _, index, value, _ in struct.iter_unpack('<IBBHQQ', table):
                    if info & 15 in (2, 10) and index != 0 and value != 0:
                        end = self.bytes.index(b'\0', names + name)
                        text = self.bytes[names + name:end].decode('latin-1').split('@')[0]
                        self.known.setdefault(text, value - self.first)
        return self.known

    def function(self, name):
        """Its addresses: several if it is overloaded."""
        functions = self.functions()
        if name in functions:
            return [functions[name]]
        form = mangled_form(name)
        found = {address for symbol, address in functions.items()
                 if form is not None and form.match(symbol)}
        if not 1 <= len(found) < SLOTS:
            raise Cannot('place unknown: %s has %s function %s' % (
                os.path.basename(self.path), len(found) or 'no', name))
        return sorted(found)

    def call_before(self, returns):
        """The call instruction that ends there."""
        address = returns + self.first
        for start, offset, size in self.loads:
            if start + 8 <= address <= start + size:
                code = self.bytes[offset + address - start - 8:offset + address - start]
                break
        else:
            raise Cannot('place unknown: 0x%x is not in %s' % (returns, self.path))
        if code[3] == 0xe8:
            return returns - 5
        for length in (2, 3, 6, 7, 4):  # ff /2, by the form of its operand
            at = 8 - length
            if code[at] == 0xff and code[at + 1] >> 3 & 7 == 2 and operand_bytes(code[at + 1:]) == length - 1:
                prefix = 1 if code[at - 1] & 0xf0 == 0x40 else 0
                return returns - length - prefix
        raise Cannot('place unknown: no call ends at 0x%x of %s' % (returns, self.path))


def operand_bytes(code):
    """Of a byte ModRM with what belongs to it."""
    mode, low = code[0] >> 6, code[0] & 7
    if mode == 3:
        return 1
    index = 1 if low == 4 else 0
    if mode == 0:
        wide = low == 5 or (index and len(code) > 1 and code[1] & 7 == 5)
        return 1 + index + (4 if wide else 0)
    return 1 + index + (1 if mode == 1 else 4)


# -- One thread of the server, held at a place ------------------------------------------------------

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PEEKDATA, PEEKUSER, POKEDATA, POKEUSER, CONT, SINGLESTEP, GETREGS, SETREGS, DETACH = 2, 3, 5, 6, 7, 9, 12, 13, 17
GETEVENTMSG, SEIZE, INTERRUPT = 0x4201, 0x4206, 0x4207
TRACECLONE, EXITKILL = 8, 0x100000
CLONED, INTERRUPTED = 3, 128  # events
WALL = 0x40000000
DEBUG_REGISTERS = 848  # of struct user
RESULT, CALL, INSTRUCTION, STACK = 10, 15, 16, 19  # of user_regs_struct
RESTARTS, RESTART = -516 & 0xffffffffffffffff, 219  # ERESTART_RESTARTBLOCK: it goes on by the call restart_syscall
ENCODED = (10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0)  # the same, as instructions number them
INT3 = 0xcc


def ptrace(request, tid, address=0, data=0):
    ctypes.set_errno(0)
    result = LIBC.ptrace(request, tid, address, data)
    error = ctypes.get_errno()
    if result == -1 and error != 0:
        raise OSError(error, os.strerror(error))
    return result & 0xffffffffffffffff


class Breakpoint:
    """The thread stops at the `hit`-th time; what counts only (0) never stops it for good."""

    def __init__(self, addresses, hit, returns, segment):
        self.addresses, self.hit, self.returns, self.segment = addresses, hit, returns, segment
        self.count = 0
        self.stack = None  # the function entered; its return is awaited


class Registers:
    """Breakpoints of one thread, by its debug registers."""
    of_all = False  # whether all threads must be traced while one has breakpoints

    def put(self, thread):
        self.poke(thread, 7, 0)
        enabled = 0
        for i, (address, _) in enumerate(thread.slots()):
            self.poke(thread, i, address)
            enabled |= 1 << 2 * i
        self.poke(thread, 6, 0)
        self.poke(thread, 7, enabled)

    def take(self, thread):
        self.poke(thread, 7, 0)

    def poke(self, thread, register, value):
        ptrace(POKEUSER, thread.tid, DEBUG_REGISTERS + 8 * register, value)

    def hits(self, thread):
        bits = ptrace(PEEKUSER, thread.tid, DEBUG_REGISTERS + 6 * 8)
        self.poke(thread, 6, 0)
        return [point for i, (_, point) in enumerate(thread.slots()) if bits >> i & 1]

    def step(self, thread):
        pass


class Traps:
    """Breakpoints in the code, which all threads of the process have. Whoever is not meant, or is to
    go on, executes what was there: by hand where that is simple, or else alone, with it put back."""
    of_all = True

    def __init__(self):
        self.threads = []
        self.code = {}    # by address, what begins there without the trap
        self.set = set()  # addresses

    def put(self, thread):
        """The thread is stopped."""
        if thread not in self.threads:
            self.threads.append(thread)
        wanted = {address for one in self.threads if one.seized for address, _ in one.slots()}
        for address in wanted - self.set:
            self.code[address] = ptrace(PEEKDATA, thread.tid, address).to_bytes(8, 'little')
            self.write(thread, address, True)
        for address in self.set - wanted:
            self.write(thread, address, False)
        self.set = wanted

    def take(self, thread):
        """All of them: who is let go would die of one. Those that came to one meanwhile learn it later."""
        for address in self.set:
            self.write(thread, address, False)
        self.set = set()
        self.threads = [one for one in self.threads if one is not thread]  # if it came to be one
        for one in self.threads:
            one.points = []

    def write(self, thread, address, is_trap):
        there = ptrace(PEEKDATA, thread.tid, address)  # with the traps of its neighbours
        ptrace(POKEDATA, thread.tid, address, there & ~0xff | (INT3 if is_trap else self.code[address][0]))

    def hits(self, thread):
        registers = self.registers(thread)
        at = registers[INSTRUCTION] - 1
        if at not in self.code:
            return None
        registers[INSTRUCTION] = at
        self.write_back(thread, registers)
        thread.trapped = True
        return [point for address, point in thread.slots() if address == at]

    def registers(self, thread):
        registers = (ctypes.c_uint64 * 27)()
        ptrace(GETREGS, thread.tid, 0, ctypes.addressof(registers))
        return registers

    def write_back(self, thread, registers):
        ptrace(SETREGS, thread.tid, 0, ctypes.addressof(registers))

    def step(self, thread):
        """Past the trap at which it stopped; unless it was taken away meanwhile."""
        if not thread.trapped:
            return
        thread.trapped = False
        registers = self.registers(thread)
        at = registers[INSTRUCTION]
        if at in self.set and not self.step_by_hand(thread, registers):
            self.step_alone(thread, at)

    def step_by_hand(self, thread, registers):
        """What functions mostly begin with."""
        code = self.code[registers[INSTRUCTION]]
        wide = code[0] == 0x41
        if code.startswith(b'\xf3\x0f\x1e\xfa'):  # endbr64
            registers[INSTRUCTION] += 4
        elif 0x50 <= code[wide] <= 0x57:  # push
            pushed = registers[ENCODED[code[wide] - 0x50 + 8 * wide]]
            registers[STACK] -= 8
            ptrace(POKEDATA, thread.tid, registers[STACK], pushed)
            registers[INSTRUCTION] += 1 + wide
        else:
            return False
        self.write_back(thread, registers)
        return True

    def step_alone(self, thread, at):
        running = [one for one in self.threads if one is not thread and one.is_running()]
        paused = [one for one in running if one.pause()]
        self.write(thread, at, False)
        try:
            ptrace(SINGLESTEP, thread.tid)
            while thread.next_stop() >> 8 != signal.SIGTRAP:  # a signal: it comes after the step
                ptrace(SINGLESTEP, thread.tid)
        finally:
            self.write(thread, at, True)
            for one in paused:
                with contextlib.suppress(ProcessLookupError):
                    ptrace(CONT, one.tid)


class Traced:
    """A thread under ptrace while it has breakpoints; or while any has, if they are traps."""
    breakpoints = Registers()  # of all

    def __init__(self, tid):
        self.tid, self.points, self.seized, self.held = tid, [], False, None
        self.born = []   # threads that it has made; they are traced from their beginning
        self.stops = []  # it stands still since then, and nobody has looked
        self.owed = []   # signals that it has not got yet
        self.trapped = False
        self.restarted = None  # the system call that it goes on with, since it was interrupted

    def arm(self, points, follow=False, born=False):
        """`follow`: the threads that it makes, too. `born`: it is one of them."""
        self.points = points
        if len(self.slots()) > SLOTS:
            raise Cannot('place unknown: more than %d addresses in one request' % SLOTS)
        if not points and not follow and not self.seized:
            return
        try:
            if not born and not self.seized:
                born = self.is_born_traced(follow)
            if not born:
                ptrace(INTERRUPT, self.tid)
            self.seized = True
            self.wait_for_stop()
            self.breakpoints.put(self)
        except (ProcessLookupError, ChildProcessError):
            raise
        except OSError as error:
            raise Cannot('cannot trace here: %s; %s' % (error.strerror, REMEDY)) from None
        self.proceed()

    def is_born_traced(self, follow):
        """Else it is from now on. One made by a thread that is followed is, before anybody is told of it.
        Of one that is ending Linux says what it says where tracing is forbidden."""
        try:
            ptrace(SEIZE, self.tid, 0, EXITKILL | follow * TRACECLONE)
        except PermissionError:
            status = text_of('/proc/%d/status' % self.tid)
            if 'TracerPid:\t%d\n' % os.getpid() in status:
                return True
            if not status or '\nState:\tX' in status or '\nState:\tZ' in status:
                raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH)) from None
            raise
        return False

    def next_stop(self):
        end = time.monotonic() + SEGMENT_LIMIT_S
        while time.monotonic() < end:
            pid, status = os.waitpid(self.tid, os.WNOHANG | WALL)
            if pid != 0:
                self.note(status)
                if not self.seized:
                    raise ServerDied()
                return status
            time.sleep(0.0002)
        raise Cannot('cannot trace here: the thread did not stop')

    def wait_for_stop(self):
        status = self.stops.pop() if self.stops else self.next_stop()
        self.has_made_one(status)  # any stop will do: it takes back the interrupt that was asked for
        if status >> 8 == signal.SIGTRAP and self.breakpoints.of_all:
            self.breakpoints.hits(self)

    def is_running(self):
        return self.seized and self.held is None and not self.stops

    def pause(self):
        """False if it is no more, or had stopped for another reason, of which it is told by poll()."""
        try:
            ptrace(INTERRUPT, self.tid)
            status = self.next_stop()
        except (ProcessLookupError, ChildProcessError, ServerDied):
            return False
        if status >> 16 == INTERRUPTED:
            return True
        self.stops.append(status)
        return False

    def note(self, status):
        """What waitpid() said of it, once."""
        if not os.WIFSTOPPED(status):
            self.seized = False
        elif status >> 8 != signal.SIGTRAP:
            if status >> 16 == 0:
                self.owed.append(os.WSTOPSIG(status))
            self.note_call()

    def note_call(self):
        """Of one that was interrupted in a system call, /proc does not tell any longer in which."""
        call = ptrace(PEEKUSER, self.tid, 8 * CALL)
        if ptrace(PEEKUSER, self.tid, 8 * RESULT) == RESTARTS and call != RESTART:
            self.restarted = call

    def proceed(self, request=CONT):
        if request == CONT:
            self.breakpoints.step(self)
        ptrace(request, self.tid, 0, self.owed.pop(0) if self.owed else 0)

    def has_made_one(self, status):
        if status >> 16 != CLONED:
            return False
        tid = ctypes.c_ulong()
        ptrace(GETEVENTMSG, self.tid, 0, ctypes.addressof(tid))
        self.born.append(tid.value)
        return True

    def slots(self):
        return [(address, point) for point in self.points for address in point.addresses]

    def poll(self):
        """True if it came to a place at which it is held now."""
        if not self.seized or self.held is not None:
            return False
        if self.stops:
            status = self.stops.pop()
        else:
            pid, status = os.waitpid(self.tid, os.WNOHANG | WALL)
            if pid == 0:
                return False
            self.note(status)
            if not self.seized:
                return False
        self.has_made_one(status)
        if status >> 8 == signal.SIGTRAP:
            for point in self.breakpoints.hits(self) or []:
                if self.is_reached(point):
                    self.held = point
        if self.held is None:
            self.proceed()
        return self.held is not None

    def is_reached(self, point):
        stack = ptrace(PEEKUSER, self.tid, 8 * STACK)
        if point.stack is not None:
            return stack == point.stack + 8
        point.count += 1
        if point.count != point.hit:
            return False
        if not point.returns:
            return True
        point.stack = stack
        point.addresses = [ptrace(PEEKDATA, self.tid, stack)]
        self.breakpoints.put(self)
        return False

    def go_on(self):
        """From where it is held, to the next place if there is one."""
        if self.held is None:
            return
        self.points = [point for point in self.points if point is not self.held]
        self.held = None
        if self.points or self.breakpoints.of_all:
            self.breakpoints.put(self)
            self.proceed()
        else:
            self.breakpoints.take(self)
            self.proceed(DETACH)
            self.seized = False

    def rest(self):
        """Its request has ended."""
        if self.breakpoints.of_all and self.seized:
            self.arm([])
        else:
            self.let_go()

    def let_go(self):
        """With traps, only if all are: they have none from then on."""
        if not self.seized:
            return
        try:
            if self.held is None:
                ptrace(INTERRUPT, self.tid)
                self.wait_for_stop()
            self.breakpoints.take(self)
            self.proceed(DETACH)
        except ProcessLookupError:  # only death ends a hold; unless it is reaped, its server cannot be
            with contextlib.suppress(OSError, ServerDied, Cannot):
                self.next_stop()
        except (OSError, ServerDied, Cannot):
            pass
        self.seized, self.held, self.points = False, None, []


class OwnThreads:
    """The threads of the server that serve no client: whichever comes to a place first at which one
    of them is to be held is the one that the segment means."""

    def __init__(self, server, clients, segments, counted):
        self.server, self.clients, self.segments, self.counted = server, clients, segments, counted
        self.names = {segment['client'] for segment in segments} - {client.name for client in clients}
        self.threads, self.bound = [], {}
        if Traced.breakpoints.of_all:
            Traced.breakpoints = Traps()  # the server may be another one than in the last round
        self.follow = bool(self.names) or Traced.breakpoints.of_all

    def begin(self):
        known = {client.thread.tid for client in self.clients}
        while self.follow:
            new = {int(tid) for tid in os.listdir('/proc/%d/task' % self.server.process.pid)} - known
            if not new:
                break
            known |= new
            for tid in new:
                self.add(tid, False)

    def add(self, tid, born):
        if any(thread.tid == tid and thread.seized for thread in self.threads):
            return
        thread = Thread(self.server.process, tid)
        self.threads.append(thread)  # first: whatever becomes of it, it is let go
        try:
            points = [breakpoint_of(self.server, segment, i) for i, segment in enumerate(self.segments)
                      if segment['client'] in self.names and 'place' in segment]
            if self.counted and self.segments[self.counted[0]]['client'] in self.names:
                points += counting_points(self.server, self.counted[1])
            thread.arm(points, True, born)
        except (OSError, ServerDied):  # it has ended meanwhile
            self.threads.remove(thread)

    def poll(self):
        if not self.follow:
            return
        own = set(self.threads)
        for thread in self.threads + [client.thread for client in self.clients]:
            if (thread in own or Traced.breakpoints.of_all) and thread.poll() and thread in own:
                name = self.segments[thread.held.segment]['client']
                if self.bound.setdefault(name, thread) is not thread:
                    thread.go_on()
            self.add_born(thread)

    def add_born(self, thread):
        while thread.born:
            self.add(thread.born.pop(), True)

    def is_held(self, name, index):
        held = self.bound[name].held if name in self.bound else None
        return held is not None and held.segment == index

    def is_over(self, name, seconds):
        """It sleeps for so long, or is no more; one that was never held is on its own."""
        return name not in self.bound or self.bound[name].has_slept(seconds)

    def go_on(self, name, index):
        """To the place of a later segment: it may have come to it before its turn."""
        held = self.bound[name].held if name in self.bound else None
        if held is not None and held.segment < index:
            self.bound[name].go_on()

    def let_go(self):
        """Clients' threads are let go before."""
        for client in self.clients:
            self.add_born(client.thread)
        while self.threads:
            thread = self.threads.pop()
            thread.let_go()
            self.add_born(thread)
        self.names, self.follow = set(), False


REMEDY = 'allow ptrace of own children (container: --cap-add SYS_PTRACE; sysctl kernel.yama.ptrace_scope=1)'


RT_SIGTIMEDWAIT = '128'
READS = {'0', '7', '45', '232', '271', '281'}  # read, poll, recvfrom, epoll_wait, ppoll, epoll_pwait


class Sleep:
    """How long a thread has slept, as far as was seen: between two looks it may have been awake."""

    def __init__(self):
        self.seconds = self.looked = 0.0

    def look(self, asleep):
        now = time.monotonic()
        self.seconds = self.seconds + min(now - self.looked, BLOCKED_S / 5) if asleep else 0.0
        self.looked = now
        return self.seconds


class Thread(Traced):
    def __init__(self, process, tid):
        super().__init__(tid)
        self.process = process
        self.folder = '/proc/%d/task/%d/' % (process.pid, tid)
        self.sleep = Sleep()

    def note(self, status):
        """Nobody else learns how the process ended, if it is its first thread."""
        super().note(status)
        if self.tid == self.process.pid and not self.seized:
            self.process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    def call(self):
        """Number of the system call that it sleeps in; None: it does not sleep."""
        stat = text_of(self.folder + 'stat').split()
        if 'S' not in stat[1:4]:
            return None
        call = text_of(self.folder + 'syscall').split()
        if not call or call[0] == 'running':
            return None
        return call[0] if call[0] != str(RESTART) else str(self.restarted)

    def is_idle(self):
        return self.call() in READS

    def has_slept(self, seconds):
        """For so long; or it has ended."""
        return self.sleep.look(self.call() is not None or not os.path.exists(self.folder)) >= seconds


class SignalThread(Thread):
    def __init__(self, process, tid, signals):
        super().__init__(process, tid)
        self.mask = sum(1 << (getattr(signal, name) - 1) for name in set(signals))

    def is_idle(self):
        """It waits for these: then they are not blocked. One that has come has woken it by now."""
        if self.call() != RT_SIGTIMEDWAIT:
            return False
        blocked = re.search(r'^SigBlk:\t(\w+)', text_of(self.folder + 'status'), re.M)
        return blocked is not None and int(blocked.group(1), 16) & self.mask == 0


# -- The server ---------------------------------------------------------------------------------------


def own_loader(program):
    """Of a program in another system's unpacked root, the words before it."""
    with open(program, 'rb') as file:
        head = file.read(4096)
    found = re.search(rb'/lib[\w/.-]*/ld-linux[\w.-]*', head)
    folder = os.path.dirname(os.path.realpath(program))
    while found and folder not in ('/', '/usr'):
        for name in (folder + found.group().decode(), folder + '/usr' + found.group().decode()):
            if os.path.islink(name) and os.readlink(name).startswith('/'):
                name = folder + os.readlink(name)  # of that root
            if os.path.isfile(name):
                libraries = [folder + part for part in (
                    '/usr/lib/x86_64-linux-gnu', '/lib/x86_64-linux-gnu', '/usr/lib64', '/lib64')]
                return [name, '--library-path', ':'.join(filter(os.path.isdir, libraries))]
        folder = os.path.dirname(folder)
    return []


ENDING = (signal.SIGINT, signal.SIGTERM)


def child_setup(parent):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    LIBC.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with us
    if os.getppid() != parent:
        os._exit(1)


class Server:
    """A private server: its program, its folder, the process."""

    fresh_each_round = False
    sorts = True  # replies are rows, whose order says nothing

    def __init__(self, plan, program, folder, watcher):
        self.spec, self.observations = plan['server'], plan['observations']
        self.folder, self.watcher, self.process = folder, watcher, None
        self.asked = {}  # what a part of the state was told for
        self.program = self.find(program)
        self.launch = own_loader(self.program) + [self.program]
        self.elf = Elf(self.program)
        self.build_id = plan.get('build_id', self.elf.build_id)  # that offsets are of
        self.socket = folder + '/s'

    def find(self, wanted):
        wanted = wanted or self.spec['program']
        path = wanted if os.path.sep in wanted else shutil.which(
            wanted, path=os.environ.get('PATH', '') + ':/usr/local/sbin:/usr/sbin:/usr/libexec')
        if path is None or not os.access(path, os.X_OK) or os.path.isdir(path):
            raise Cannot('no server %s here; install it, or give --server PROGRAM' % wanted)
        return os.path.realpath(path)

    def run(self, arguments, sql=None):
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # a process that nobody knows is not ended
        try:
            with open(self.folder + '/log', 'wb') as log:
                self.process = process = subprocess.Popen(
                    self.launch + arguments, cwd=self.folder, stdout=log, stderr=log,
                    preexec_fn=functools.partial(child_setup, os.getpid()),
                    stdin=subprocess.PIPE if sql is not None else subprocess.DEVNULL, start_new_session=True)
            os.write(self.watcher, b'%d\n' % process.pid)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        if sql is not None:
            try:
                process.communicate(sql, START_LIMIT_S)
            except (subprocess.TimeoutExpired, BrokenPipeError):
                process.kill()
        return process

    def said(self):
        with open(self.folder + '/log', 'rb') as log:
            text = log.read().decode('latin-1')
        errors = [line for line in text.splitlines() if 'ERROR' in line and 'Aborting' not in line] or text.splitlines()
        return errors[-1].strip() if errors else 'no word'

    def start(self):
        self.stop()
        self.prepare()
        self.run(self.arguments())
        end = time.monotonic() + START_LIMIT_S
        while True:
            try:
                probe = self.connect()
                probe.close()
                return
            except (OSError, ServerDied):
                if self.process.poll() is not None or time.monotonic() > end:
                    raise Cannot('the server does not start: %s' % self.said()) from None
                time.sleep(0.01)

    def start_with(self, options):
        self.spec['options'] = options
        self.start()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            while self.process.poll() is None:
                self.reap_traced()
                time.sleep(0.001)
        self.process = None

    def reap_traced(self):
        """A thread that is still traced, since we are told to end at any moment, is ours to reap:
        the process is not before it is."""
        with contextlib.suppress(OSError):  # gone meanwhile
            for tid in os.listdir('/proc/%d/task' % self.process.pid):
                if int(tid) != self.process.pid:
                    with contextlib.suppress(ChildProcessError):  # not traced
                        os.waitpid(int(tid), os.WNOHANG | WALL)

    def end_sessions(self, connections):
        """Of requests that wait for good; False: it does not let them go."""
        return False

    def ask_about(self, state, label, text):
        self.asked[label] = text
        state[label] = self.own.ask(text)

    def is_dead(self):
        return self.process is None or self.process.poll() is not None

    def sleeps(self, tids):
        """By thread: how often it went to sleep; None: it runs now."""
        sleeps = {}
        for tid in tids:
            text = text_of('/proc/%d/task/%s/status' % (self.process.pid, tid))
            count = re.search(r'\nvoluntary_ctxt_switches:\s*(\d+)', text)
            if count:
                sleeps[tid] = None if '\nState:\tR' in text else int(count.group(1))
        return sleeps

    def signal_thread(self, signals):
        """That waits for these; it may be on its way there."""
        end = time.monotonic() + STANDSTILL_S
        while time.monotonic() < end:
            for tid in os.listdir('/proc/%d/task' % self.process.pid):
                thread = SignalThread(self.process, int(tid), signals)
                if thread.is_idle():
                    return thread
            time.sleep(0.001)
        raise Cannot('no thread of the server waits for %s' % ', '.join(sorted(set(signals))))

    def thread_of(self, connection):
        """The thread that serves it: the one that sleeps anew after each request."""
        for _ in range(20):
            before = self.sleeps(os.listdir('/proc/%d/task' % self.process.pid))
            for _ in range(8):
                connection.ask(connection.nothing)
                end = time.monotonic() + 1
                after = self.sleeps(before)
                while None in after.values() and time.monotonic() < end:
                    time.sleep(0.0005)
                    after = self.sleeps(before)
                before = {tid: count for tid, count in after.items() if count != before[tid]}
            if len(before) == 1:
                return Thread(self.process, int(before.popitem()[0]))
        raise Cannot('cannot tell which thread of the server serves a connection')

    def addresses(self, place):
        """Of a place in the running server."""
        if 'function' in place:
            relative = self.elf.function(place['function'])
            path = self.program
        else:
            path, offset = self.offset_place(place)
            relative = [offset]
        with open('/proc/%d/maps' % self.process.pid) as maps:
            for line in maps:
                words = line.rstrip('\n').split(None, 5)
                if len(words) > 5 and words[5] == path and int(words[2], 16) == 0:
                    base = int(words[0].split('-')[0], 16)
                    return [base + one for one in relative]
        raise Cannot('place unknown: %s is not mapped' % path)

    def offset_place(self, place):
        """Valid in one build of the server only."""
        elf = self.elf
        if elf.build_id != self.build_id:
            raise Cannot('place unknown: %s is another build than that of %s' % (elf.path, place['text']))
        if os.path.basename(self.program) != place['module']:
            elf = self.mapped(place['module'])
        offset = place['offset']
        return elf.path, elf.call_before(offset) if place['at'] == 'call' else offset

    def mapped(self, name):
        with open('/proc/%d/maps' % self.process.pid) as maps:
            for line in maps:
                words = line.rstrip('\n').split(None, 5)
                if words[-1].endswith('/' + name):
                    return Elf(words[-1])
        raise Cannot('place unknown: the server has no %s' % name)


def text_of(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ''


class Connection:
    """Sends one request, and takes its reply in pieces."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(REPLY_LIMIT_S)
        self.socket.connect(path)
        self.bytes = b''
        self.limit_s = REPLY_LIMIT_S

    def close(self):
        self.socket.close()

    def poll(self, seconds):
        """The reply, once it is whole; None until then."""
        if select.select([self.socket], [], [], seconds)[0]:
            more = self.socket.recv(1 << 16)
            if not more:
                raise ServerDied()
            self.bytes += more
        return self.take()

    def wait(self):
        end = time.monotonic() + self.limit_s
        while time.monotonic() < end:
            reply = self.poll(0.05)
            if reply is not None:
                return reply
        raise Cannot('no reply within %d s' % self.limit_s)

    def ask(self, text):
        self.send(text)
        return self.wait()


# -- MySQL and MariaDB --------------------------------------------------------------------------------


def coded(bytes_, at):
    """A length-coded number of the protocol, and where it ends; None: NULL."""
    first = bytes_[at]
    if first < 0xfb:
        return first, at + 1
    if first == 0xfb:
        return None, at + 1
    size = {0xfc: 2, 0xfd: 3, 0xfe: 8}[first]
    return int.from_bytes(bytes_[at + 1:at + 1 + size], 'little'), at + 1 + size


def shown(bytes_):
    return re.sub(r'#sql[\w-]*', '#sql', bytes_.decode('utf-8', 'backslashreplace'))


class MysqlConnection(Connection):
    nothing = 'DO 1'

    def __init__(self, path):
        super().__init__(path)
        self.database = None
        self.parser = self.handshake()
        next(self.parser)
        self.wait()

    def packet(self, number, payload):
        self.socket.sendall(len(payload).to_bytes(3, 'little') + bytes([number]) + payload)

    def send(self, text):
        self.parser = self.read_reply()
        next(self.parser)
        self.packet(0, b'\x03' + text.encode('utf-8', 'surrogateescape'))

    def take(self):
        while len(self.bytes) >= 4:
            end = 4 + int.from_bytes(self.bytes[:3], 'little')
            if len(self.bytes) < end:
                break
            payload, self.bytes = self.bytes[4:end], self.bytes[end:]
            try:
                self.parser.send(payload)
            except StopIteration as done:
                return done.value
        return None

    def handshake(self):
        greeting = yield
        if greeting[0] == 0xff:
            raise ServerDied()
        self.id, = struct.unpack_from('<I', greeting, greeting.index(0) + 1)
        flags = 0x1 | 0x4 | 0x200 | 0x2000 | 0x8000 | 0x20000 | 0x80000
        self.packet(1, struct.pack('<IIB23x', flags, 1 << 24, 45) + b'root\0' + b'\0'
                    + b'mysql_native_password\0')
        number = 3
        answer = yield
        while answer[0] != 0:
            if answer[0] == 0xff:
                raise Cannot('the server does not let root in: %s' % shown(answer[9:]))
            if answer[0] == 0xfe:
                self.packet(number, b'')
                number += 2
            answer = yield
        return True

    def read_reply(self):
        results, more = [], True
        while more:
            packet = yield
            if packet[0] == 0xff:
                code = struct.unpack_from('<H', packet, 1)[0]
                results.append(['error %d' % code, shown(packet[9:])])
                break
            if packet[0] == 0xfb:
                self.packet(2, b'')  # LOAD DATA LOCAL: there is no file
                continue
            if packet[0] == 0:
                affected, at = coded(packet, 1)
                _, at = coded(packet, at)
                status, warnings = struct.unpack_from('<HH', packet, at)
                results.append(['ok', '%d affected' % affected, '%d warnings' % warnings,
                                shown(packet[at + 4:])])
            else:
                columns, _ = coded(packet, 0)
                for _ in range(columns + 1):
                    yield
                rows = []
                packet = yield
                while not (packet[0] == 0xfe and len(packet) < 9) and packet[0] != 0xff:
                    rows.append(row_of(packet, columns))
                    packet = yield
                results.extend(['row'] + row for row in rows)
                if packet[0] == 0xff:
                    results.append(['error %d' % struct.unpack_from('<H', packet, 1)[0], shown(packet[9:])])
                    break
                warnings, status = struct.unpack_from('<HH', packet, 1)
                results.append(['%d rows' % len(rows), '%d warnings' % warnings])
            more = status & 8
        return results


def row_of(packet, columns):
    row, at = [], 0
    for _ in range(columns):
        size, at = coded(packet, at)
        row.append('NULL' if size is None else shown(packet[at:at + size]))
        at += size or 0
    return row


SYSTEM = ('mysql', 'information_schema', 'performance_schema', 'sys')
SCRIPTS = ('system_tables.sql', 'performance_tables.sql', 'system_tables_data.sql', 'add_gis_sp_bootstrap.sql')


class Mysqld(Server):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.own, self.globals, self.users, self.is_made = None, None, [], False

    def parts(self):
        """Where the program's own parts are, if it is not where it was built to be."""
        folder = os.path.dirname(self.program)
        for prefix in (os.path.dirname(folder), folder):
            for share in ('share/mysql', 'share/mariadb', 'share'):
                if os.path.exists('%s/%s/english/errmsg.sys' % (prefix, share)):
                    yield '--lc-messages-dir=%s/%s' % (prefix, share)
                    yield '--character-sets-dir=%s/%s/charsets' % (prefix, share)
                    for plugins in ('lib/mysql/plugin', 'lib/plugin'):
                        if os.path.isdir('%s/%s' % (prefix, plugins)):
                            yield '--plugin-dir=%s/%s' % (prefix, plugins)
                    return

    def options(self):
        return (['--no-defaults'] + list(self.parts()) + self.spec['options'] + [
            '--datadir=%s/data' % self.folder, '--tmpdir=%s/tmp' % self.folder, '--skip-networking',
            '--loose-secure-file-priv=%s/tmp' % self.folder]
            + (['--user=root'] if os.geteuid() == 0 else []))

    def arguments(self):
        return self.options() + ['--socket=' + self.socket, '--pid-file=%s/pid' % self.folder]

    def scripts(self):
        folder = os.path.dirname(self.program)
        places = ['%s/%s' % (prefix, share) for prefix in (os.path.dirname(folder), folder, '/usr')
                  for share in ('share/mysql', 'share/mariadb', 'share', 'scripts')]
        for place in places:
            for kind in ('mysql_', 'mariadb_'):
                if os.path.exists('%s/%s%s' % (place, kind, SCRIPTS[0])):
                    found = [place + '/' + kind + script for script in SCRIPTS]
                    return [script for script in found if os.path.exists(script)]
        raise Cannot("the server's SQL scripts (mysql_%s) are not beside %s" % (SCRIPTS[0], self.program))

    def prepare(self):
        """The data: made once, kept, and copied for each server."""
        data, kept = self.folder + '/data', self.folder + '/kept'
        shutil.rmtree(data, ignore_errors=True)
        os.makedirs(self.folder + '/tmp', exist_ok=True)
        if not self.is_made:
            shutil.rmtree(kept, ignore_errors=True)
            self.make(data)
            os.rename(data, kept)
            self.is_made = True
        shutil.copytree(kept, data)

    def make(self, data):
        version = subprocess.run(self.launch + ['--no-defaults', '--version'], capture_output=True,
                                 stdin=subprocess.DEVNULL, timeout=START_LIMIT_S).stdout
        os.mkdir(data)
        if b'MariaDB' in version or b'Ver 5.6' in version or b'Ver 5.5' in version:
            sql = b'CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n'
            for script in self.scripts():
                with open(script, 'rb') as file:
                    sql += file.read() + b'\n'
            made = self.run(self.options() + ['--bootstrap'], sql)
        else:
            made = self.run(self.options() + ['--initialize-insecure'], b'')
        if made.returncode != 0:
            raise Cannot('the server does not make its data: %s' % self.said())

    def connect(self):
        return MysqlConnection(self.socket)

    def start_with(self, options):
        try:
            super().start_with(options)
        except Cannot:
            self.is_made = False  # data that was made with other options may need them
            self.start()

    def start(self):
        super().start()
        self.own = self.connect()
        self.own.ask('SET SESSION lock_wait_timeout = 5')
        self.globals, self.users = self.variables(), self.accounts()

    def rows(self, text):
        return [row[1:] for row in self.own.ask(text) if row[0] == 'row']

    def variables(self):
        return {name: value for name, value in self.rows('SHOW GLOBAL VARIABLES')}

    def version(self):
        return self.rows('SELECT VERSION()')[0][0]

    def accounts(self):
        return ["'%s'@'%s'" % (user, host) for user, host in self.rows('SELECT User, Host FROM mysql.user')]

    def databases(self):
        return [name for name, in self.rows('SHOW DATABASES') if name not in SYSTEM]

    # What programs belong to, also where a database went without them.
    def homes_of_programs(self):
        homes = self.rows('SELECT ROUTINE_SCHEMA FROM information_schema.ROUTINES '
                          'UNION SELECT EVENT_SCHEMA FROM information_schema.EVENTS')
        return [name for name, in homes if name not in SYSTEM]

    def reset(self):
        for name in set(self.homes_of_programs()) - set(self.databases()):
            self.own.ask('CREATE DATABASE `%s`' % name)
        for name in self.databases():
            if self.own.ask('DROP DATABASE `%s`' % name)[0][0].startswith('error'):
                self.start()  # with the data as they were made: damage is not of the next round
                break
        for account in self.accounts():
            if account not in self.users:
                if self.own.ask('DROP USER ' + account)[0][0].startswith('error '):
                    self.own.ask('DROP ROLE ' + account.rsplit('@', 1)[0])  # MariaDB's
        for name, value in self.variables().items():
            was = self.globals.get(name, value)
            if value != was and name not in ('gtid_executed', 'timestamp'):
                quoted = was if re.fullmatch(r'-?\d+', was) else "'%s'" % was
                self.own.ask('SET GLOBAL %s = %s' % (name, quoted))
        self.own.ask('RESET QUERY CACHE')
        self.own.ask('CREATE DATABASE test')
        self.own.ask('USE test')

    def session(self):
        connection = self.connect()
        connection.ask('USE test')
        return connection

    def end_sessions(self, connections):
        self.own.limit_s = STANDSTILL_S
        end = time.monotonic() + STANDSTILL_S
        try:
            for connection in connections:
                self.own.ask('KILL %d' % connection.id)
            while time.monotonic() < end:
                if self.is_alone():
                    return True
                time.sleep(0.01)
        except (Cannot, OSError, ServerDied):
            pass
        finally:
            self.own.limit_s = REPLY_LIMIT_S
        return False

    def is_alone(self):
        return sum(row[1] == 'root' for row in self.rows('SHOW PROCESSLIST')) == 1

    def ended(self, clients):
        """What the clients themselves are answered once more; then they go."""
        answers = {}
        for client in clients:
            for i, text in enumerate(client.requests):
                if is_plain_select(text):
                    name = '%s%d' % (client.name, i + 1)
                    answers['query-cache:' + name] = client.connection.ask(text)
                    fresh = re.sub(r'(?i)^select\b', 'SELECT SQL_NO_CACHE', text)
                    answers['answer:' + name] = client.connection.ask(fresh)
            client.connection.close()
        end = time.monotonic() + REPLY_LIMIT_S
        while time.monotonic() < end:
            if self.is_alone():
                break
            time.sleep(0.001)
        return answers

    def state(self, requests):
        state = {'files': [[name] for name in sorted(self.files())]}
        for database in self.databases():
            tables = self.rows('SHOW FULL TABLES IN `%s`' % database)
            state.setdefault('tables', []).extend([database] + row for row in tables)
            for table in tables:
                self.state_of_table('`%s`.`%s`' % (database, table[0]), '%s.%s' % (database, table[0]), state)
        for part, columns in (('routines', 'ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE'),
                              ('triggers', 'TRIGGER_SCHEMA, TRIGGER_NAME, EVENT_OBJECT_TABLE'),
                              ('events', 'EVENT_SCHEMA, EVENT_NAME, STATUS')):
            state[part] = self.rows("SELECT %s FROM information_schema.%s WHERE %s <> 'sys'" % (
                columns, part.upper(), columns.split(',')[0]))
        for text in self.observations:
            self.ask_about(state, 'observation:' + text, text)
        state['accounts'] = [[account] for account in self.accounts()]
        words = set(re.findall(r'\w+', ' '.join(requests).lower()))
        values = self.variables()
        state['variables'] = [[name, values[name]] for name in sorted(words & set(values))]
        return state

    def state_of_table(self, quoted, name, state):
        self.ask_about(state, 'rows:' + name, 'SELECT SQL_NO_CACHE * FROM ' + quoted)
        self.ask_about(state, 'definition:' + name, 'SHOW CREATE TABLE ' + quoted)
        keys = {}
        for row in self.rows('SHOW INDEX FROM ' + quoted):
            if row[10] == 'BTREE' and row[4] != 'NULL':
                keys.setdefault(row[2], []).append('`%s`' % row[4])
        for key, columns in keys.items():
            self.ask_about(state, 'index:%s.%s' % (name, key),
                           'SELECT SQL_NO_CACHE %s FROM %s FORCE INDEX (`%s`)' % (', '.join(columns), quoted, key))
        self.ask_about(state, 'check:' + name, 'CHECK TABLE %s EXTENDED' % quoted)

    def files(self):
        for database in self.databases():
            folder = '%s/data/%s' % (self.folder, database)
            for name in os.listdir(folder) if os.path.isdir(folder) else []:
                yield '%s/%s' % (database, shown(name.encode()))


def is_plain_select(text):
    return re.match(r'(?i)select\b', text) and not re.search(
        r'(?i)\b(for\s+update|share\s+mode|for\s+share|sleep|get_lock|nextval|sql_no_cache|into|benchmark)\b', text)


# -- memcached ----------------------------------------------------------------------------------------

LENGTH_AT = {'set': 4, 'add': 4, 'replace': 4, 'append': 4, 'prepend': 4, 'cas': 4, 'ms': 2}
VALUES = ('get', 'gets', 'gat', 'gats')


class MemcachedConnection(Connection):
    nothing = 'version'

    def __init__(self, path):
        super().__init__(path)
        self.unique = {}

    def send(self, text):
        line, data, _ = (text + '\n').split('\n', 2) if '\n' in text else (text, None, None)
        words = line.split()
        self.command, self.key = words[0], key_of(words)
        self.quiet = is_meta(words) and 'q' in words[2:]
        line = line.replace('{cas}', self.unique.get(self.key, '0'))
        if words[0] in LENGTH_AT and data is None:
            data = ''
        self.socket.sendall((line + '\r\n' + (data + '\r\n' if data is not None else '')
                             + ('mn\r\n' if self.quiet else '')).encode('latin-1'))

    def reply_size(self):
        at, text = 0, self.bytes
        while b'\r\n' in text[at:]:
            end = text.index(b'\r\n', at)
            line = text[at:end].decode('latin-1')
            at = end + 2
            data = re.match(r'VALUE \S+ \d+ (\d+)|VA (\d+)', line)
            at += int(data.group(1) or data.group(2)) + 2 if data else 0
            if at > len(text):
                return 0
            if self.command in VALUES + ('stats',):
                more = not re.match(r'(END|RESET|OK|(CLIENT_|SERVER_)?ERROR.*)$', line)
            else:
                more = self.quiet and line != 'MN'
            if not more:
                return at
        return 0

    def take(self):
        size = self.reply_size()
        if size == 0:
            return None
        text, self.bytes = self.bytes[:size].decode('latin-1'), self.bytes[size:]
        for key, unique in re.findall(r'(?m)^VALUE (\S+) \d+ \d+ (\d+)', text):
            self.unique[key] = unique
        unique = re.match(r'(?:HD|VA \d+).*? c([1-9]\d*)', text)
        if unique:
            self.unique[self.key] = unique.group(1)
        return [in_tens(line).split(' ') for line in text.split('\r\n') if line]


def is_meta(words):
    return re.fullmatch('m[gsdae]', words[0]) is not None


def key_of(words):
    at = 2 if words[0] in ('gat', 'gats') else 1
    return words[at] if len(words) > at and words[0] not in ('flush_all', 'stats', 'version', 'mn') else None


def in_tens(line):
    """Seconds go on by themselves: told in steps of ten."""
    def tens(match):
        seconds = int(match.group(2)) + (9 if match.group(1)[-1] in 't=' else 0)
        return match.group(1) + str(seconds // 10 * 10)
    return re.sub(r'( t| l|exp=|la=)(\d+)', tens, line) if re.match('HD|VA|ME', line) else line


class Memcached(Server):
    fresh_each_round = True  # started in a few ms, and nothing else puts it back wholly
    sorts = False

    def prepare(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)

    def arguments(self):
        return ['-s', self.socket, '-U', '0'] + self.spec['options'] + (
            ['-u', 'root'] if os.geteuid() == 0 else [])

    def connect(self):
        return MemcachedConnection(self.socket)

    def start(self):
        super().start()
        self.own = self.connect()

    def version(self):
        return self.own.ask('version')[0][1]

    def session(self):
        return self.connect()

    def reset(self):
        pass

    def ended(self, clients):
        for client in clients:
            client.connection.close()
        return {}

    def state(self, requests):
        state = {}
        for text in self.observations:
            self.ask_about(state, 'observation:' + text, text)
        keys = {key_of(text.split()) for text in requests} - {None}
        for key in sorted(keys):
            self.ask_about(state, 'items:' + key, 'gets ' + key)
            self.ask_about(state, 'lifetimes:' + key, 'mg %s t u' % key)
        return state


SERVERS = {'mariadb': Mysqld, 'mysql': Mysqld, 'memcached': Memcached}


# -- One round ----------------------------------------------------------------------------------------


class Client:
    def __init__(self, spec, connection, thread):
        self.name, self.requests = spec['name'], spec['requests']
        self.connection, self.thread = connection, thread
        self.next, self.pending = 0, False
        self.replies = []
        self.sleep = Sleep()

    def send(self, points, follow=False):
        self.thread.arm(points, follow)
        self.say(self.requests[self.next])
        self.pending, self.sleep = True, Sleep()

    def say(self, request):
        self.connection.send(request)

    def reply(self, seconds):
        return self.connection.poll(seconds)

    def poll(self, seconds):
        """Takes what came: a hold, a reply. The end of a request is both its reply and that its
        thread stands in a read again: some answer before they have finished."""
        if not self.pending or self.thread.held is not None:
            return
        if self.thread.poll():
            return
        if len(self.replies) == self.next:
            reply = self.reply(seconds)
            if reply is not None:
                self.replies.append(reply)
        if len(self.replies) > self.next and self.thread.is_idle():
            self.thread.rest()
            self.pending = False
            self.next += 1

    def is_blocked(self, seconds):
        """Asleep for so long, not in a read."""
        call = self.thread.call() if self.thread.held is None else None
        return self.sleep.look(call is not None and call not in READS) >= seconds


class SignalClient(Client):
    """Its requests are names of signals, which the server's thread that waits for them serves."""

    def say(self, request):
        if self.thread.process.returncode is not None:
            raise ServerDied()
        os.kill(self.thread.process.pid, getattr(signal, request))

    def reply(self, seconds):
        """Nothing, once it has been served."""
        if not os.path.exists(self.thread.folder):
            raise ServerDied()
        if self.thread.is_idle():
            return []
        time.sleep(seconds)
        return None


Round = collections.namedtuple('Round', 'what outcome why counts')


class Player:
    def __init__(self, plan, server):
        self.plan, self.server, self.clients, self.own = plan, server, [], None

    def run_setup(self):
        self.server.reset()
        for text in self.plan['setup']:
            check_setup(text, self.server.own.ask(text))

    def set_up(self):
        if self.server.fresh_each_round or self.server.is_dead():
            self.server.start()
        self.run_setup()
        self.clients = []
        for spec in self.plan['clients']:
            connection = self.server.session()
            for text in spec['setup']:
                check_setup(text, connection.ask(text))
            if spec.get('signals'):
                self.clients.append(SignalClient(spec, connection, self.server.signal_thread(spec['requests'])))
            else:
                self.clients.append(Client(spec, connection, self.server.thread_of(connection)))
        if len({client.thread.tid for client in self.clients}) < len(self.clients):
            raise Cannot('two clients share one thread of the server')

    def play(self, segments, counted=None):
        """`counted`: (segment, functions): how often they were entered until it was held."""
        try:
            self.set_up()
            return self.play_segments(segments, counted)
        except (ServerDied, ConnectionError, ProcessLookupError, ChildProcessError):
            self.let_all_go()
            if not self.died():
                return Round('stood still', None, 'a connection broke', None)
            return Round('server died', None, 'signal or exit %d' % self.server.process.returncode, None)
        except BaseException:
            self.let_all_go()
            raise

    def died(self):
        try:
            self.server.process.wait(5)
            return True
        except subprocess.TimeoutExpired:
            return False

    def let_all_go(self):
        for client in self.clients:
            client.thread.let_go()
        if self.own:
            self.own.let_go()
        for client in self.clients:
            client.connection.close()

    def points(self, client, segments, counted):
        """Of the request that it sends next."""
        def is_next(segment):
            return (segment['client'], segment['request']) == (client.name, client.next)
        points = [breakpoint_of(self.server, segment, i) for i, segment in enumerate(segments)
                  if is_next(segment) and 'place' in segment]
        if counted and is_next(segments[counted[0]]):
            points += counting_points(self.server, counted[1])
        return points

    def play_segments(self, segments, counted):
        counts = None
        by_name = {client.name: client for client in self.clients}
        self.own = OwnThreads(self.server, self.clients, segments, counted)
        self.own.begin()
        for i, segment in enumerate(segments):
            name = segment['client']
            if name in by_name:
                failure = self.run_until(by_name[name], i, segments, counted)
            else:
                failure = self.run_own_until(name, i, segment)
            if failure:
                self.end_requests(segments)
                self.forget()
                where = 'in segment %d of %d, %s' % (
                    i + 1, len(segments), 'client ' + name if name in by_name else OWN_THREAD)
                if failure == 'waits':
                    return Round('stood still', None, WAITS + where, None)
                return Round(failure, None, where, None)
            if counted is not None and i == counted[0]:
                thread = by_name[name].thread if name in by_name else self.own.bound[name]
                passed = {point.segment: point.count for point in thread.points}
                counts = [passed.get(name, 0) for name in counted[1]]
        for client in self.clients:
            client.thread.go_on()
        waiting = self.end_requests(segments)
        if waiting:
            self.forget()
            return Round('all wait', None, ', '.join(waiting) + ' without a reply', counts)
        return Round('ended', self.outcome(), '', counts)

    def run_until(self, client, index, segments, counted):
        """None: it is there. Else why not."""
        segment = segments[index]
        client.thread.go_on()
        wanted = segment['request']
        end = time.monotonic() + SEGMENT_LIMIT_S
        while time.monotonic() < end:
            if not client.pending:
                if client.next > wanted or client.next >= len(client.requests):
                    return None if segment['until'] == 'end' else 'never reached'
                client.send(self.points(client, segments, counted), self.own.follow)
            client.poll(0.0003)
            self.own.poll()
            held = client.thread.held
            if held is not None:
                if held.segment == index:
                    return None
                if held.segment < index:
                    client.thread.go_on()
                else:
                    return 'never reached'
            elif client.pending and len(client.replies) == client.next:
                until_blocked = segment['until'] == 'blocked'
                if client.is_blocked(BLOCKED_S if until_blocked else 5 * BLOCKED_S):
                    return None if until_blocked else 'waits'
        return 'stood still'

    def run_own_until(self, name, index, segment):
        """A thread of the server's own: None: it is there, or has done what it could."""
        self.own.go_on(name, index)
        end = time.monotonic() + SEGMENT_LIMIT_S
        while time.monotonic() < end:
            self.own.poll()
            for client in self.clients:
                client.poll(0)
            if segment['until'] == 'place' and self.own.is_held(name, index):
                return None
            if segment['until'] != 'place' and self.own.is_over(name, BLOCKED_S):
                return None
            time.sleep(0.0003)
        return 'never reached' if segment['until'] == 'place' else 'stood still'

    def end_requests(self, segments):
        """All to their ends, in the order of the segments; gives who waits for good."""
        for client in self.clients:
            client.thread.let_go()
        self.own.let_go()
        order = [segment['client'] for segment in segments]
        left = sorted(self.clients, key=lambda client: order.index(client.name) if client.name in order else 99)
        end = time.monotonic() + REPLY_LIMIT_S
        while left and time.monotonic() < end:
            for client in left:
                if not client.pending and client.next < len(client.requests):
                    client.send([])
                client.poll(0.0003)
            left = [client for client in left if client.pending or client.next < len(client.requests)]
            if left and all([client.is_blocked(STANDSTILL_S) for client in left]):
                break
            if self.server.is_dead():
                raise ServerDied()
        return ['%s%d' % (client.name, client.next + 1) for client in left]

    def forget(self):
        """A round of which no outcome is taken. Who waits for good is ended, if need be with the server."""
        if not self.server.end_sessions([client.connection for client in self.clients]) or not self.signals_are_over():
            self.server.stop()
        self.let_all_go()

    def signals_are_over(self):
        end = time.monotonic() + STANDSTILL_S
        left = [client for client in self.clients if isinstance(client, SignalClient)]
        while left and time.monotonic() < end:
            left = [client for client in left if not client.thread.is_idle()]
            time.sleep(0.001)
        return not left

    def outcome(self):
        parts = {'%s%d' % (client.name, i + 1): reply
                 for client in self.clients for i, reply in enumerate(client.replies)}
        parts.update(self.server.ended(self.clients))
        texts = self.plan['setup'] + [text for client in self.plan['clients'] for text in client['requests']]
        parts.update(self.server.state(texts))
        return parts


def breakpoint_of(server, segment, index):
    place = segment['place']
    return Breakpoint(server.addresses(place), segment['hit'],
                      'function' in place and place['at'] == 'return', index)


def counting_points(server, functions):
    """That only count; none for functions that are not there."""
    known = []
    for name in functions:
        with contextlib.suppress(Cannot):
            known.append(Breakpoint(server.addresses({'function': name}), 0, False, name))
    return known


def check_setup(text, reply):
    for row in reply:
        if row[0].startswith(('error ', 'CLIENT_ERROR', 'SERVER_ERROR')) or row[0] == 'ERROR':
            raise Cannot('the setup does not work here: %s: %s' % (text, ' '.join(row)))


# -- What is right -------------------------------------------------------------------------------------


def orders_of(plan):
    """All serial orders, as lists of names of clients. Where an isolation level is broken, a client's
    requests are a transaction."""
    clients = plan['clients']
    if 'wrong' in plan:
        requests = {client['name']: [client['name']] * len(client['requests']) for client in clients}
        return [sum(map(requests.get, order), []) for order in itertools.permutations(sorted(requests))]
    names = [client['name'] for client in clients for _ in client['requests']]
    orders = []

    def extend(order, left):
        if not any(left.values()):
            orders.append(order)
        for name in sorted(left):
            if left[name] and len(orders) <= MOST_ORDERS:
                extend(order + [name], {**left, name: left[name] - 1})
    extend([], collections.Counter(names))
    if len(orders) > MOST_ORDERS:
        raise Cannot('more than %d serial orders' % MOST_ORDERS)
    return orders


def serial_segments(order):
    done, segments = collections.Counter(), []
    for name in order:
        segments.append({'client': name, 'request': done[name], 'until': 'end'})
        done[name] += 1
    return segments


def order_name(order):
    return ' '.join('%s%d' % (segment['client'], segment['request'] + 1) for segment in serial_segments(order))


class Judge:
    """Compares outcomes with those of the serial orders, in the parts in which the finding differs,
    and without what differs between equal serial orders."""

    def __init__(self, plan, player):
        self.compared, self.ordered = plan['compared'], set(plan['ordered'])
        self.sorts = player.server.sorts
        self.wrong = plan.get('wrong')  # what was read; else: all that no serial order gives
        self.masked = {}  # part -> columns; None: all of it
        self.labels = set()
        self.errors = {'error %d' % code for code in plan.get('errors', [])}  # others are another matter
        runs = []
        for order in orders_of(plan):
            outcomes = []
            for _ in range(REPEATS):
                played = player.play(serial_segments(order))
                if played.outcome is None:
                    if played.what == 'all wait' or played.why.startswith(WAITS):
                        break  # this order cannot be: one waits for what comes later
                    raise Cannot('the serial order %s: %s %s' % (order_name(order), played.what, played.why))
                outcomes.append(played.outcome)
                self.errors |= errors_in(played.outcome)
                self.labels |= set(played.outcome)
            if len(outcomes) == REPEATS:
                self.mask(outcomes)
                runs.append((order_name(order), order, outcomes[0]))
        if not runs:
            raise Cannot('no serial order can be played')
        self.labels -= {label for label, columns in self.masked.items() if columns is None}
        self.orders = [order for _, order, _ in runs]
        self.serial = {name: self.seen(outcome) for name, _, outcome in runs}

    def mask(self, outcomes):
        for label in set().union(*outcomes):
            values = [self.sorted(label, outcome.get(label)) for outcome in outcomes]
            if all(value == values[0] for value in values):
                continue
            shapes = [None if value is None else [len(row) for row in value] for value in values]
            if None in shapes or any(shape != shapes[0] for shape in shapes):
                self.masked[label] = None
            elif self.masked.get(label, ()) is not None:
                self.masked.setdefault(label, set()).update(
                    column for rows in zip(*values) for cells in [list(zip(*rows))]
                    for column, cell in enumerate(cells) if len(set(cell)) > 1)

    def sorted(self, label, rows):
        return sorted(rows) if rows is not None and self.sorts and label not in self.ordered else rows

    def is_compared(self, label):
        return label in self.compared or label.split(':')[0] in self.compared

    def seen(self, outcome):
        """What is compared of it."""
        seen = {}
        for label, rows in sorted(outcome.items()):
            columns = self.masked.get(label, ())
            if columns is not None:
                rows = [['*' if i in columns else cell for i, cell in enumerate(row)]
                        for row in (rows if self.wrong is None else without_warnings(rows))]
                seen[label] = self.sorted(label, rows)
        return {label: rows for label, rows in with_named_numbers(seen).items() if self.is_compared(label)}

    def is_wrong(self, outcome):
        if self.wrong is not None:
            return {label: what_was_read(outcome.get(label)) for label in self.wrong} == self.wrong
        return self.seen(outcome) not in self.serial.values()


def without_warnings(rows):
    """Of the reply to a statement that answers no rows."""
    return [row[:2] if row[0] == 'ok' else row for row in rows]


def what_was_read(rows):
    """Of a reply: the rows of its answer, in any order, its error's number, or what it changed."""
    rows = rows or []
    if len(rows) == 1 and rows[0][0] == 'ok':
        return [rows[0][1:2]] if rows[0][1] != '0 affected' else []
    return sorted([row[0]] if row[0].startswith('error ') else row for row in rows
                  if row[0] == 'row' or row[0].startswith('error '))


def errors_in(outcome):
    """Of the replies, which are called A1, B2."""
    return {row[0] for label, rows in outcome.items() if re.fullmatch(r'[^:]*\d', label)
            for row in rows if row and re.fullmatch(r'error \d+', row[0])}


def with_named_numbers(parts):
    """memcached's unique numbers by their first appearance: which they are does not matter."""
    names = {}

    def name(match):
        return match.group(1) + names.setdefault(match.group(2), '#%d' % (len(names) + 1))
    for label, rows in parts.items():
        for row in rows:
            if row[0] == 'VALUE' and len(row) > 4:
                row[4] = name(re.match('()(.*)', row[4]))
            elif row[0] in ('HD', 'VA', 'EX', 'NS', 'NF'):
                row[1:] = [re.sub(r'^(c)(\d+)$', name, cell) for cell in row[1:]]
            elif row[0] == 'ME':
                row[1:] = [re.sub(r'^(cas=)(\d+)$', name, cell) for cell in row[1:]]
    return parts


# -- Many rounds, and what is told ---------------------------------------------------------------------


def ordinal(number):
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return '%d%s' % (number, {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th'))


def place_text(place):
    if 'function' in place:
        return ('the return of ' if place['at'] == 'return' else '') + place['function']
    return place['text'] + (' (before the call)' if place['at'] == 'call' else '')


def held_text(segments):
    places = ['%s at %s (%s time)' % (
        OWN_THREAD if segment.get('own') else segment['client'], place_text(segment['place']), ordinal(segment['hit']))
              for segment in segments if segment['until'] == 'place']
    ends = ['%s%d' % (segment['client'], segment['request'] + 1) for segment in segments if not segment.get('own')]
    return ', then '.join(places) or 'nobody, sent one after the other until %s are over' % ', then '.join(ends)


class Trial:
    """Rounds of one plan, counted."""

    def __init__(self, plan, player, judge):
        self.plan, self.player, self.judge = plan, player, judge
        self.violated, self.counts, self.example, self.what = 0, None, None, collections.Counter()
        self.why = ''  # of the last round that did not end

    def judge_round(self, played):
        if played.what == 'ended':
            if errors_in(played.outcome) - self.judge.errors:
                return 'another error'
            if self.plan['violation'] == 'outcome' and self.judge.is_wrong(played.outcome):
                self.example = self.example or self.judge.seen(played.outcome)
                return 'violated'
            return 'held'
        is_it = {'standstill': 'all wait', 'crash': 'server died'}.get(self.plan['violation'])
        if played.what == is_it:
            self.example = self.example or {'ending': [[played.what, played.why]]}
            return 'violated'
        return 'stood still' if played.what == 'all wait' else played.what

    def run(self, segments, rounds, counted=None, all_must=False):
        for _ in range(rounds):
            try:
                played = self.player.play(segments, counted)
            except Cannot as error:
                if not str(error).startswith('place unknown'):
                    raise
                self.what['place unknown'] += 1
                self.why = str(error)
                break
            what = self.judge_round(played)
            self.why = played.why or self.why
            self.what[what] += 1
            self.violated += what == 'violated'
            self.counts = self.counts or played.counts
            if all_must and what != 'violated':
                break
        return self

    def result(self):
        return {'rounds': sum(self.what.values()), 'violated': self.violated, 'what': dict(self.what),
                'counts': self.counts, 'seen': self.example}


def control_of(plan, player, judge, rounds):
    """The same clients and comparison: the accepted neighbour if there is one, else one request
    after the other."""
    trial = Trial(plan, player, judge)
    if plan.get('control'):
        trial.run(plan['control'], rounds)
    else:
        for order in itertools.islice(itertools.cycle(judge.orders), rounds):
            trial.run(serial_segments(order), 1)
    return trial.result()


AGAIN = {'query-cache': '%s, asked once more afterwards',
         'answer': '%s, asked once more afterwards, without the query cache'}


def part_lines(parts, left_out, asked):
    for label, rows in parts.items():
        if label in left_out:
            continue
        kind, _, name = label.partition(':')
        yield '  %s:' % (AGAIN[kind] % name if kind in AGAIN else asked.get(label, label))
        for row in rows[:20]:
            yield '    ' + ' | '.join(row)


def server_lines(plan, player):
    """Which server this is, and whether it is the one of the finding."""
    version, found = player.server.version(), plan['server'].get('version', '')
    yield 'server: %s, %s' % (player.server.program, version)
    if found and re.findall(r'\d+', version)[:2] != re.findall(r'\d+', found)[:2]:
        yield 'ANOTHER RELEASE than that of the finding, %s: --server PROGRAM names one' % found


def told(plan, player, judge, result):
    """For people, line by line."""
    yield '%s in %d rounds: %s' % ('SEEN' if result['violated'] else 'NOT SEEN', result['rounds'], plan['title'])
    yield from server_lines(plan, player)
    seen = result['seen'] or {}
    outcomes = list(judge.serial.values()) + [seen] * bool(seen)
    same = {label for label in seen if all(one.get(label) == seen[label] for one in outcomes)}
    for name, parts in judge.serial.items():
        yield 'in the order %s:' % name
        yield from part_lines(parts, same, player.server.asked)
    if seen:
        yield 'seen:'
        yield from part_lines(seen, same, player.server.asked)
    for what, count in sorted(result['what'].items()):
        if what not in ('violated', 'held'):
            yield '%s in %d of %d%s' % (what, count, result['rounds'], ': ' + result['why'] if result['why'] else '')
    yield 'violated %d of %d, held: %s' % (result['violated'], result['rounds'], result['held'])
    yield 'control, %s: %d of %d' % (
        'held: ' + held_text(plan['control']) if plan.get('control') else 'one request after the other',
        result['control']['violated'], result['control']['rounds'])
    yield 'sent at once, nobody held: %d of %d' % (result['at_once']['violated'], result['at_once']['rounds'])
    if result['control']['violated']:
        yield 'cannot say: the control violates, too'


def reproduce(plan, player, options):
    judge = Judge(plan, player)
    by_outcome = plan['violation'] == 'outcome'
    if not plan['segments'] or (by_outcome and not any(map(judge.is_compared, judge.labels))):
        raise Cannot('nothing is left to hold, or to compare, here')
    trial = Trial(plan, player, judge).run(plan['segments'], options.rounds)
    result = trial.result()
    result['why'] = trial.why
    result['control'] = control_of(plan, player, judge, options.rounds)
    result['at_once'] = Trial(plan, player, judge).run([], options.rounds).result()
    result['held'] = held_text(plan['segments'])
    result['serial'] = judge.serial
    lines = list(told(plan, player, judge, result))
    print(json.dumps({**result, 'told': lines}) if options.json else '\n'.join(lines))
    if result['control']['violated']:
        return 2
    if trial.violated:
        return 1
    return 0 if set(trial.what) == {'held'} else 2


def serve(player):
    """The server before the requests, until Ctrl-C."""
    player.server.start()
    player.run_setup()
    print('process %d, socket %s; Ctrl-C ends it' % (player.server.process.pid, player.server.socket), flush=True)
    player.server.process.wait()
    return 2


def converse(plan, player):
    """Trials that another program asks for: a line of JSON each way."""
    judge = Judge(plan, player)
    print(json.dumps({'labels': sorted(judge.labels), 'orders': len(judge.serial),
                      'compared': sorted(filter(judge.is_compared, judge.labels)),
                      'build_id': player.server.elf.build_id}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get('options', player.server.spec['options']) != player.server.spec['options']:
            player.server.start_with(asked['options'])
            judge = Judge(plan, player)
        trial = Trial(plan, player, judge)
        trial.run(asked['segments'], asked['rounds'], asked.get('counted'), asked.get('all_must', False))
        print(json.dumps(trial.result()), flush=True)
    return 0


# -- The command ---------------------------------------------------------------------------------------


def leave_nothing():
    """A process that makes the folder, waits for our end, however that comes, and removes what is
    left. Gives the folder, its pid, and what keeps it waiting: the servers' pids are written to it."""
    reading, writing = os.pipe()
    hearing, telling = os.pipe()
    watcher = os.fork()
    if watcher == 0:
        try:
            watch(reading, writing, hearing, telling)
        finally:
            os._exit(0)
    os.close(reading)
    os.close(telling)
    folder = os.read(hearing, 4096).decode()
    os.close(hearing)
    if not folder:
        raise Cannot('cannot make a folder in %s' % tempfile.gettempdir())
    return folder, watcher, writing


def watch(reading, writing, hearing, telling):
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nowhere = os.open('/dev/null', os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(writing)
    os.close(hearing)
    folder = tempfile.mkdtemp(prefix='repro-')
    with contextlib.suppress(BrokenPipeError):  # whoever asked for it has ended already
        os.write(telling, folder.encode())
    os.close(telling)
    written = b''
    for more in iter(lambda: os.read(reading, 4096), b''):
        written += more
    for pid in written.split()[-1:]:  # those before it were waited for
        if folder in text_of('/proc/%s/cmdline' % pid.decode()):
            os.kill(int(pid), signal.SIGKILL)
    end = time.monotonic() + 30
    while os.path.exists(folder) and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.01)


def check_holds():
    """By debug registers, or else by traps; raises Cannot if by neither."""
    if not holds_a_child(0.5):
        Traced.breakpoints = Traps()
        if not holds_a_child(5):
            raise Cannot('cannot trace here: neither debug registers nor traps in the code hold a thread')
    return 0


def holds_a_child(seconds):
    """One that calls one function again and again."""
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        child_setup(parent)
        while True:
            LIBC.getppid()
            time.sleep(0.001)
    try:
        traced = Traced(child)
        traced.arm([Breakpoint([ctypes.cast(LIBC.getppid, ctypes.c_void_p).value], 3, False, 0)])
        end = time.monotonic() + seconds
        while not traced.poll() and time.monotonic() < end:
            time.sleep(0.001)
        is_held = traced.held is not None
        traced.let_go()
        return is_held
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def read_plan(path):
    try:
        with open(path) as file:
            plan = json.load(file)
        if plan['format'] != 1:
            raise Cannot('%s: of another version of this script' % path)
        return plan
    except OSError as error:
        raise Cannot('%s: %s' % (path, error.strerror)) from None
    except (ValueError, KeyError, TypeError) as error:
        raise Cannot('%s: no reproducer (%s)' % (path, error)) from None


def run(options):
    if platform.machine() != 'x86_64' or sys.platform != 'linux':
        raise Cannot('cannot trace here: needs Linux on x86-64')
    if options.check:
        return check_holds()
    plan = read_plan(options.file)
    if options.converse or (not options.serve and any('place' in segment for segment in plan['segments'])):
        check_holds()
    folder, watcher, writing = leave_nothing()
    server = None
    try:
        server = SERVERS[plan['server']['kind']](plan, options.server, folder, writing)
        player = Player(plan, server)
        if options.serve:
            return serve(player)
        return converse(plan, player) if options.converse else reproduce(plan, player, options)
    finally:
        if server is not None:
            server.stop()
        os.close(writing)
        os.waitpid(watcher, 0)


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError('at least 1')
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--server', help='the program (default: the one named in the file)')
    parser.add_argument('--rounds', type=positive, default=20)
    parser.add_argument('--file', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'reproduce.json'))
    parser.add_argument('--json', action='store_true', help='the result as one object')
    parser.add_argument('--serve', action='store_true', help='a server to do it by hand, until Ctrl-C')
    parser.add_argument('--check', action='store_true', help='whether this machine allows to hold threads')
    parser.add_argument('--converse', action='store_true', help=argparse.SUPPRESS)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return run(options)
    except Cannot as error:
        print('reproduce.py: %s' % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as error:  # status 1 would say that it violated
        print('reproduce.py: cannot go on: %s: %s' % (type(error).__name__, error), file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main())
