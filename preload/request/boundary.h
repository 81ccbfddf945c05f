// SPDX-License-Identifier: Apache-2.0
// Where a request begins and ends, and whose it is: found out from outside, without marks in the
// server (PIKE needed three: P. Fonseca, PhD thesis 2015, section 5.3.2).
//
//  - Whose: the harness connects its clients one after the other and announces the index of the one
//    now connecting in the control block; the descriptor that the server accepts meanwhile is his.
//  - Begin: a thread receives bytes on such a descriptor while an execution is being armed. It is
//    held there until all clients have arrived. (Not "poll returned": the bytes may already be
//    there, and the thread would be lost.)
//  - End: the thread, having sent something since the request began, comes to receive again, closes
//    the connection or ends. What the server does between sending the reply and asking for the next
//    request belongs to the request.
//  - Next: a session with further requests waits right there, natively and with the baton, for its
//    client's next request, which the client sends as soon as it has the reply; so its arrival is
//    immediate in the schedule, and the same in every execution.
//  - Hanging up: what the server does when it has closed a connection that another client killed
//    (undoing a transaction, giving back locks) is part of the execution: the thread stays under
//    control until it ends or first waits.
//
// Where a server waits for requests by epoll, its worker threads serve whoever is readable. A
// worker becomes the thread of the client whose first request it reads, and stays it: coming back
// to wait on its epoll descriptor after a reply ends the request, as coming to receive does
// elsewhere. A worker that serves two clients of one execution cannot be controlled; the harness
// sees to it that each client has a worker to itself.
//
// A client's requests may also be signals to the server. The thread that waits for signals (sigwait
// and the like) serves them: it receives one by coming back from its wait, and a request has ended
// when it comes to wait again. The harness sends the first one; a further one is raised here, for
// two of one kind on their way would be one.
//
// Limit: a server that asks its client for more in the middle of a request (LOAD DATA LOCAL)
// appears to end the request there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace esox {

// Descriptors. Called by the hooks of accept and close.
void note_accepted(int fd);
// The calling thread gives its client's connection up (close, shutdown): true if its session is
// over by that.
bool note_closed(int fd);
bool end_session(int fd);
// The calling thread asks for the end of another client's connection (KILL): true if that is done,
// or will be.
bool ends_other_session(int fd);
// Before a wait: control ends of a thread whose session is over.
void end_hung_up();

// Before a receive on `fd`: the end of a request, perhaps.
void before_receive(int fd, uint64_t site);
// Before a wait for whoever is readable: the end of a request, too. True if the client's next
// request is there, so that the wait is none.
bool before_epoll(uint64_t site);
// After a receive that returned `received` bytes.
void after_receive(int fd, long received, uint64_t site);
// The same of signals: before a wait for some, `awaited` by the kernel's layout, and after one that
// gave `signal` (0: none). True if the client's next signal is there, so that the wait is none.
bool before_signal_wait(uint64_t awaited, uint64_t site);
void after_signal_wait(int signal, uint64_t site);
// Before a send: a scheduling point, and the mark that a reply was given.
void before_send(int fd, uint64_t site);

// True if `fd` is a tagged connection: file hooks leave it to the socket rules.
bool is_client(int fd);

}  // namespace esox
