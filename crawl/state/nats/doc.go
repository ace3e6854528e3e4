// Package nats keeps the frontier of a crawl in NATS JetStream, so that several
// processes can run the crawl together.
//
// # Words
//
//	run          one crawl from its statement to its end; a crawl that is begun again is another run
//	fetcher      a process that takes part in a run
//	partition    a set of hosts, by a hash of their names; one fetcher at a time owns it
//	session      one run of the crawl's engine in a fetcher; it has the same partitions from start to end
//	epoch        an empty message in the log of a partition, with which a session begins
//	fence        the sequence number of the last message that a session knows in the log of a partition
//	clean        all fetchers that had a partition before have written down everything they did
//	ledger       how many pages each fetcher may fetch, if the crawl has a LIMIT of pages
//
// # What JetStream has
//
// One stream has the two logs of each partition. It keeps all messages of the run:
//
//	infomall.log.RUN.add.P    URLs that the crawl has met: seeds, links, URLs that a user added. Every fetcher adds messages.
//	infomall.log.RUN.done.P   URLs that were fetched, or left out. Only the owner of P adds messages.
//
// A second stream has the last value of each key. A value is changed by
// compare-and-set (the sequence number that a key must have):
//
//	infomall.at.RUN.owners      the owner of each partition
//	infomall.at.RUN.ledger      the ledger
//	infomall.at.RUN.part.F      what fetcher F does: its counts, and that it is alive
//	infomall.at.RUN.host.H.K    of a host: robots.txt, traps, or the counts and the time of the next request; of a domain: cookies
//
// A third stream, infomall.crawl.NAME, has one message for each crawl: its statement,
// settings, state and orders.
//
// A log is simpler than a work queue, and does more: the set of URLs that the crawl has
// met can be made from it again. A work queue forgets what was acknowledged.
//
// # How a fetcher works
//
// The engine of package crawl runs as it does for a crawl of one process, with a State
// that has the queues in bbolt. A session begins with an empty bbolt file, and reads the
// two logs of each of its partitions. What is met and not done is the queue. While it
// reads, it has 16 bytes in memory for each URL of its partitions that is done.
//
// A commit publishes, in this order: what is known about hosts; all URLs that were found,
// for its own and other partitions; the URLs that are done. Each step waits until
// JetStream has the messages of the step before. Captures are durable before the commit.
// If a fetcher dies between two steps, its last pages are fetched again, and nothing is
// lost.
//
// # Who owns a partition
//
// Each fetcher writes its part four times in the time of a lease. A fetcher whose part is older
// than the lease counts as dead; JetStream gives the times. All fetchers compute the same
// owner for each partition (the highest hash of fetcher and partition). So if a fetcher comes
// or goes, only its own share of the partitions moves. A fetcher that has to give partitions
// away ends its session: it fetches no more, commits, and gives up the partitions. Their new
// owner begins a session with them.
//
// The lease says only when to try. The fence says who is right: the new owner publishes
// an epoch in the log of the partition, and JetStream then refuses what the late owner
// publishes, because its fence is no longer the last message. The late owner ends its
// session without counting a page as done.
//
// The next owner keeps the pauses between requests to a host: the value of the host says when
// the next request may begin. If an earlier owner died, its last request is not known. The new
// owner then waits for the delay of the host after it took the partition.
//
// The fence does not protect the hosts, because web servers know nothing of it. So a fetcher
// sends a request only while it holds its partitions (Session.Holds). It holds them if it has
// written its part, has read after that that it still owns the partitions, and began to write
// less than two thirds of the lease ago. The engine calls Session.Holds directly before each
// request, because the system may have stopped the process since the engine chose the URL.
//
// A fetcher that takes the partitions of a dead fetcher reads the parts again afterwards. If the
// dead fetcher has come back meanwhile, it may hold the partitions until it reads the owners. The
// new owner then waits for one more lease. One gap remains: a process that is stopped between
// the call of Session.Holds and the write to the socket sends this one request when it
// continues.
//
// # The end
//
// A fetcher without anything to fetch says so in its part, with the number of messages
// that it has read. The crawl has ended if all owners say so, and have read all messages of
// the stream. Only a message can make a fetcher busy again.
package nats
