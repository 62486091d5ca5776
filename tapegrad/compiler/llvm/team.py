"""The team: threads that run the parts of large steps, without Python.

``tapegrad.share(function, table, parts, threads)`` is for machine code. It calls
``function(table, number, thread)`` for each number below `parts`, in up to so many threads, and
gives the results, joined by `or`. The thread that calls, number 0, takes parts like the others, and
waits for none that has not come. Who helps decides nothing but the time: parts must not depend on
each other.

Each thread begins with a share of the parts that is the same whenever there are as many parts and
threads, so that it finds in its cache what it had before; then it takes of what the others have
left.

One caller at a time has the team. Others meanwhile run their parts alone: then there are already
as many threads as have work. Helpers start when they are first needed, look for more work for about
a tenth of a millisecond, and sleep then. In the child of a fork there are none until it needs some.

Threads, locks and their sleep are Python's own, which need no interpreter.
"""

from __future__ import annotations

import ctypes
import functools
import os
from importlib import import_module
from string import Template
from typing import Any

from .cache import Cache, key
from .host import Host, host
from .jit import Library, compile_object, load, lock

SHARE = "tapegrad.share"

MOST = 64
"""Threads, with the caller."""

TEXT = Template("""
; whether a helper sleeps, and the lock that it waits for
%bed = type { i64, ptr, [48 x i8] }
; threads, and parts of the share of one of them that nobody has taken
%share = type { i64, [56 x i8] }

@function = internal global ptr null               ; the job: what to call,
@table = internal global ptr null                  ; with what,
@parts = internal global i64 0                     ; how often,
@threads = internal global i64 0                   ; and in how many threads
@shares = internal global [$most x %share] zeroinitializer, align 64
@jobs = internal global i64 0, align 64            ; how many there have been
@inside = internal global i64 0, align 64          ; how many helpers run a part, or try to take one
@odd = internal global i32 0, align 64             ; the results
@busy = internal global i64 0, align 64            ; whether a caller has the team
@helpers = internal global i64 0                   ; how many have been started
@beds = internal global [$most x %bed] zeroinitializer, align 64

declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @tapegrad.yield()
$limit
declare ptr @PyThread_allocate_lock()
declare i32 @PyThread_acquire_lock(ptr, i32)
declare void @PyThread_release_lock(ptr)
declare i64 @PyThread_start_new_thread(ptr, ptr)
$declare_pause

define i32 @tapegrad.share(ptr %function, ptr %table, i64 %parts, i64 %wanted) {
  %limit = call i32 @tapegrad.limit()
  %allowed = sext i32 %limit to i64
  %some = call i64 @llvm.smin.i64(i64 %wanted, i64 %allowed)
  %threads = call i64 @llvm.smin.i64(i64 %some, i64 %parts)
  %several = icmp sgt i64 %threads, 1
  br i1 %several, label %ask, label %alone
ask:
  %answer = cmpxchg ptr @busy, i64 0, i64 1 seq_cst seq_cst
  %free = extractvalue { i64, i1 } %answer, 1
  br i1 %free, label %begin, label %alone
begin:
  call void @start(i64 %threads)
  store ptr %function, ptr @function
  store ptr %table, ptr @table
  store i64 %parts, ptr @parts
  store i32 0, ptr @odd
  store atomic i64 %threads, ptr @threads monotonic, align 8
  br label %lay_out
lay_out:
  %share = phi i64 [ 0, %begin ], [ %next_share, %lay_out ]
  %low = call i64 @first(i64 %share, i64 %parts, i64 %threads)
  %next_share = add i64 %share, 1
  %high = call i64 @first(i64 %next_share, i64 %parts, i64 %threads)
  %count = sub i64 %high, %low
  %tag = shl i64 %threads, 32
  %tagged = or i64 %tag, %count
  %place = getelementptr %share, ptr @shares, i64 %share
  store atomic i64 %tagged, ptr %place seq_cst, align 8       ; from here on they may be taken
  %more = icmp ult i64 %next_share, %threads
  br i1 %more, label %lay_out, label %call
call:
  %job = atomicrmw add ptr @jobs, i64 1 seq_cst
  call void @wake(i64 %threads)
  call void @work(i64 0)
  br label %wait
wait:
  %turn = phi i64 [ 0, %call ], [ %next, %look ]
  %inside = load atomic i64, ptr @inside seq_cst, align 8
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %end, label %still
still:
  %next = add i64 %turn, 1
  %patient = icmp ult i64 %next, $turns
  br i1 %patient, label %pause, label %yield
pause:
  $pause
  br label %look
yield:
  %yielded = call i32 @tapegrad.yield()
  br label %look
look:
  br label %wait
end:
  %together = load atomic i32, ptr @odd seq_cst, align 4
  store atomic i64 0, ptr @busy seq_cst, align 8
  ret i32 %together
alone:
  br label %each
each:
  %number = phi i64 [ 0, %alone ], [ %following, %each ]
  %so_far = phi i32 [ 0, %alone ], [ %joined, %each ]
  %own = call i32 %function(ptr %table, i64 %number, i64 0)
  %joined = or i32 %so_far, %own
  %following = add i64 %number, 1
  %again = icmp ult i64 %following, %parts
  br i1 %again, label %each, label %finished
finished:
  ret i32 %joined
}

; The first part of a thread's share.
define internal i64 @first(i64 %thread, i64 %parts, i64 %threads) {
  %product = mul i64 %thread, %parts
  %first = udiv i64 %product, %threads
  ret i64 %first
}

; Run the parts of a share that nobody has taken. Who has taken one sees the job that it belongs to:
; that does not end before it is run.
define internal void @take(i64 %share, i64 %thread) {
  %place = getelementptr %share, ptr @shares, i64 %share
  br label %look
look:
  %tagged = load atomic i64, ptr %place seq_cst, align 8
  %wanted = lshr i64 %tagged, 32
  %left = and i64 %tagged, 4294967295
  %some = icmp ne i64 %left, 0
  %welcome = icmp ult i64 %thread, %wanted
  %open = and i1 %some, %welcome
  br i1 %open, label %ask, label %done
ask:
  %less = sub i64 %tagged, 1
  %answer = cmpxchg ptr %place, i64 %tagged, i64 %less seq_cst seq_cst
  %mine = extractvalue { i64, i1 } %answer, 1
  br i1 %mine, label %run, label %look
run:
  %function = load ptr, ptr @function
  %table = load ptr, ptr @table
  %parts = load i64, ptr @parts
  %following = add i64 %share, 1
  %end = call i64 @first(i64 %following, i64 %parts, i64 %wanted)
  %number = sub i64 %end, %left
  %own = call i32 %function(ptr %table, i64 %number, i64 %thread)
  %before = atomicrmw or ptr @odd, i32 %own seq_cst
  br label %look
done:
  ret void
}

; Run the parts of a thread's own share, and then what is left of the others.
define internal void @work(i64 %thread) {
  call void @take(i64 %thread, i64 %thread)
  %threads = load atomic i64, ptr @threads monotonic, align 8
  br label %each
each:
  %share = phi i64 [ 0, %0 ], [ %next, %other ]
  %more = icmp ult i64 %share, %threads
  br i1 %more, label %other, label %done
other:
  call void @take(i64 %share, i64 %thread)
  %next = add i64 %share, 1
  br label %each
done:
  ret void
}

; What a helper does to the end of the process.
define internal void @help(ptr %number) {
  %self = ptrtoint ptr %number to i64
  %thread = add i64 %self, 1
  %bed = getelementptr %bed, ptr @beds, i64 %self
  %lock_place = getelementptr %bed, ptr %bed, i64 0, i32 1
  %lock = load ptr, ptr %lock_place
  br label %awake
awake:
  %known = phi i64 [ 0, %0 ], [ %job, %join ], [ %known, %up ], [ %known, %sleep ]
  br label %look
look:
  %turn = phi i64 [ 0, %awake ], [ %next, %idle ]
  %job = load atomic i64, ptr @jobs seq_cst, align 8
  %new = icmp ne i64 %job, %known
  br i1 %new, label %join, label %idle
join:
  %more = atomicrmw add ptr @inside, i64 1 seq_cst
  call void @work(i64 %thread)
  %less = atomicrmw sub ptr @inside, i64 1 seq_cst
  br label %awake
idle:
  $pause
  %next = add i64 %turn, 1
  %patient = icmp ult i64 %next, $turns
  br i1 %patient, label %look, label %tired
tired:
  %awake_before = atomicrmw xchg ptr %bed, i64 1 seq_cst
  %job_now = load atomic i64, ptr @jobs seq_cst, align 8
  %late = icmp ne i64 %job_now, %known              ; its caller may not have seen this one tired
  br i1 %late, label %up, label %sleep
up:
  %asleep = atomicrmw xchg ptr %bed, i64 0 seq_cst
  %unseen = icmp eq i64 %asleep, 1
  br i1 %unseen, label %awake, label %sleep         ; who saw it opens the lock
sleep:
  %got = call i32 @PyThread_acquire_lock(ptr %lock, i32 1)
  br label %awake
}

; Have as many helpers as are needed beside the caller, if there can be.
define internal void @start(i64 %threads) {
  br label %look
look:
  %there = load i64, ptr @helpers
  %with_caller = add i64 %there, 1
  %few = icmp slt i64 %with_caller, %threads
  %possible = icmp slt i64 %with_caller, $most
  %another = and i1 %few, %possible
  br i1 %another, label %make, label %done
make:
  %lock = call ptr @PyThread_allocate_lock()
  %failed = icmp eq ptr %lock, null
  br i1 %failed, label %done, label %lay
lay:
  %closed = call i32 @PyThread_acquire_lock(ptr %lock, i32 1)
  %bed = getelementptr %bed, ptr @beds, i64 %there
  store i64 0, ptr %bed
  %lock_place = getelementptr %bed, ptr %bed, i64 0, i32 1
  store ptr %lock, ptr %lock_place
  %number = inttoptr i64 %there to ptr
  %thread = call i64 @PyThread_start_new_thread(ptr @help, ptr %number)
  %refused = icmp eq i64 %thread, -1
  br i1 %refused, label %done, label %counted
counted:
  store i64 %with_caller, ptr @helpers
  br label %look
done:
  ret void
}

; Wake those that sleep, of as many as are needed beside the caller.
define internal void @wake(i64 %threads) {
  %there = load i64, ptr @helpers
  %others = sub i64 %threads, 1
  %count = call i64 @llvm.smin.i64(i64 %there, i64 %others)
  br label %each
each:
  %i = phi i64 [ 0, %0 ], [ %next, %on ]
  %some = icmp slt i64 %i, %count
  br i1 %some, label %look, label %done
look:
  %bed = getelementptr %bed, ptr @beds, i64 %i
  %asleep = atomicrmw xchg ptr %bed, i64 0 seq_cst
  %sleeps = icmp eq i64 %asleep, 1
  br i1 %sleeps, label %open, label %on
open:
  %lock_place = getelementptr %bed, ptr %bed, i64 0, i32 1
  %lock = load ptr, ptr %lock_place
  call void @PyThread_release_lock(ptr %lock)
  br label %on
on:
  %next = add i64 %i, 1
  br label %each
done:
  ret void
}

; In the child of a fork: there is nobody.
define void @forget() {
  call void @llvm.memset.p0.i64(ptr @shares, i8 0, i64 $bytes, i1 false)
  store i64 0, ptr @inside
  store i64 0, ptr @busy
  store i64 0, ptr @helpers
  ret void
}
""")

TURNS = 2000
"""How often a thread looks before it sleeps, or lets others run."""

PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
"""By architecture, what tells a processor that a loop waits."""

LIMITS = (
    "scipy_openblas_get_num_threads64_",
    "openblas_get_num_threads64_",
    "openblas_get_num_threads",
)
"""The functions of NumPy's BLAS that say how many threads it is allowed."""


def text_for(machine: Host, limited: bool = True) -> str:
    """The assembly of the team; `limited` if there is a function that limits it."""
    declare_pause, pause = PAUSES[machine.architecture]
    unlimited = f"define internal i32 @tapegrad.limit() {{\n  ret i32 {MOST}\n}}"
    return TEXT.substitute(
        most=MOST,
        bytes=64 * MOST,
        turns=TURNS,
        limit="declare i32 @tapegrad.limit()" if limited else unlimited,
        declare_pause=declare_pause,
        pause=pause,
    )


def threads() -> int:
    """How many threads large steps use: `OMP_NUM_THREADS`, or as many as there are processors."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if wanted.strip().isdigit() and int(wanted) > 0:
        return min(int(wanted), MOST)
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST)
    return min(os.cpu_count() or 1, MOST)


def limit() -> Any:
    """The function that says how many threads there may be at this moment, if there is one.

    It is that of NumPy's BLAS, since there `threadpoolctl` sets what it is asked for.
    """
    library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
    found = (getattr(library, name, None) for name in LIMITS)
    return next(filter(None, found), None)


def address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def imports() -> dict[str, int]:
    """The address of the function that shares, by its name; it stays valid."""
    with lock:
        return {SHARE: team()[SHARE]}


@functools.cache
def team() -> Library:
    """The team of this process."""
    machine, limiting = host(), limit()
    text = text_for(machine, limiting is not None)
    cache, name = Cache(), key(text.encode(), machine, "team")
    code = cache.get(name)
    if code is None:
        code = compile_object(text, machine)
        cache.put(name, code)
    if os.name == "posix":
        yielding = ctypes.CDLL(None).sched_yield
    else:
        yielding = ctypes.CDLL("kernel32").SwitchToThread
    needed = {"tapegrad.yield": address(yielding)}
    if limiting is not None:
        needed["tapegrad.limit"] = address(limiting)
    for function in ("allocate_lock", "acquire_lock", "release_lock", "start_new_thread"):
        name = f"PyThread_{function}"
        needed[name] = address(getattr(ctypes.pythonapi, name))
    library = load(code, [SHARE, "forget"], needed)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=ctypes.CFUNCTYPE(None)(library["forget"]))
    return library
