// Package nats carries the tasks of questions over NATS. Workers are micro services of NATS,
// which the tools of NATS list and count. It is the home of the client of NATS for questions.
//
// # Subjects
//
//	infomall.workers           a process asks who works; each worker replies with a worker.Info
//	infomall.worker.ID.task    a task for the worker with this ID
//	inbox of the task          messages of the answer; the worker waits for a reply to each
//
// A worker sends the next message of an answer only when the process that asks has replied
// to the one before. So no more than one message of each task is in flight. When the process
// that asks has ended, or wants no more, NATS reports that nobody listens, and the worker stops.
package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"infomall/crawl/state/nats/login"
	"infomall/exec/worker"
)

const (
	serviceName   = "infomall-worker"
	infoSubject   = "infomall.workers"
	subjectPrefix = "infomall.worker."
)

const (
	// askEvery is how often a question asks who works.
	askEvery = 2 * time.Second
	// replyWait is how long a worker waits for the reply to a message of an answer before it
	// sends the message again. A message or a reply is lost when a server dies. The wait is
	// shorter than worker.Options.Silence. After replyTries times the worker gives up.
	replyWait  = time.Second
	replyTries = 8
	// startWait is how long a worker waits until the server has all its subscriptions.
	startWait = 10 * time.Second
	// headRoom is how much smaller than the largest message of the server a chunk must be.
	headRoom = 4 << 10
)

// PayloadMin is the size in bytes of messages that a server must take: a chunk of an answer.
const PayloadMin = worker.ChunkBytes + headRoom

// Transport reaches workers over NATS. It implements worker.Transport. It connects when it
// is used first. The caller closes it.
type Transport struct {
	urls string
	mu   sync.Mutex
	conn *nats.Conn
}

// New returns a Transport for the servers at urls, which are separated by commas, such as
// nats://host:4222.
func New(urls string) *Transport { return &Transport{urls: urls} }

// Close closes the connection, if there is one.
func (t *Transport) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.Close()
		t.conn = nil
	}
}

// connection returns the connection, and connects if there is none.
func (t *Transport) connection() (*nats.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil {
		conn, err := connect(t.urls)
		if err != nil {
			return nil, err
		}
		t.conn = conn
	}
	return t.conn, nil
}

// connect connects to the servers at urls. The connection is made again whenever it breaks.
func connect(urls string) (*nats.Conn, error) {
	o := []nats.Option{nats.Name("infomall"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectBufSize(-1)}
	conn, err := nats.Connect(urls, append(o, login.Options()...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", hidden(urls), err)
	}
	if most := conn.MaxPayload(); most < PayloadMin {
		conn.Close()
		return nil, fmt.Errorf("connect to %s: the server takes messages of up to %d bytes, and workers send up to %d; raise its max_payload", hidden(urls), most, PayloadMin)
	}
	return conn, nil
}

// hidden returns urls without passwords, for errors.
func hidden(urls string) string {
	list := strings.Split(urls, ",")
	for i, u := range list {
		scheme, rest, ok := strings.Cut(u, "://")
		if at := strings.LastIndex(rest, "@"); ok && at >= 0 {
			list[i] = scheme + "://…" + rest[at:]
		}
	}
	return strings.Join(list, ",")
}

// Workers yields what workers say of themselves; see worker.Transport.
func (t *Transport) Workers(ctx context.Context, state string) iter.Seq2[worker.Info, error] {
	return func(yield func(worker.Info, error) bool) {
		conn, err := t.connection()
		if err != nil {
			yield(worker.Info{}, err)
			return
		}
		inbox := conn.NewInbox()
		replies := make(chan *nats.Msg, 64)
		sub, err := conn.ChanSubscribe(inbox, replies)
		if err != nil {
			yield(worker.Info{}, err)
			return
		}
		defer sub.Unsubscribe() // the connection may be closed already
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		ask := func() { conn.PublishRequest(infoSubject, inbox, []byte(state)) } // it is asked again
		ask()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				ask()
			case msg := <-replies:
				var info worker.Info
				if json.Unmarshal(msg.Data, &info) != nil || info.ID == "" {
					continue // not a worker, or nobody listens
				}
				if !yield(info, nil) {
					return
				}
			}
		}
	}
}

// Send gives a task to a worker; see worker.Transport.
func (t *Transport) Send(ctx context.Context, id string, task []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		conn, err := t.connection()
		if err != nil {
			yield(nil, err)
			return
		}
		if most := conn.MaxPayload(); int64(len(task)) > most {
			yield(nil, fmt.Errorf("the statement and its parameters have %d bytes, and the server takes messages of up to %d; raise its max_payload", len(task), most))
			return
		}
		inbox := conn.NewInbox()
		sub, err := conn.SubscribeSync(inbox)
		if err != nil {
			yield(nil, err)
			return
		}
		defer sub.Unsubscribe() // so the worker learns that nobody listens
		if err := conn.PublishRequest(subjectPrefix+id+".task", inbox, task); err != nil {
			yield(nil, err)
			return
		}
		for {
			msg, err := sub.NextMsgWithContext(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case errors.Is(err, nats.ErrNoResponders):
				yield(nil, worker.ErrLost)
				return
			case err != nil:
				yield(nil, err)
				return
			}
			if !yield(msg.Data, nil) {
				return
			}
			if msg.Reply != "" {
				msg.Respond(nil) // if that fails, the worker's wait ends
			}
		}
	}
}

// Serve answers tasks that come from the servers at urls, until ctx is done and all tasks
// have ended. open returns the Answerer of the worker with this ID; Serve closes it. Serve
// calls ready when the worker can be asked.
func Serve(ctx context.Context, urls string, open func(id string) *worker.Answerer, ready func()) error {
	conn, err := connect(urls)
	if err != nil {
		return err
	}
	defer conn.Close()
	id := conn.NewRespInbox()
	id = id[strings.LastIndex(id, ".")+1:]
	a := open(id)
	defer a.Close()
	ctx, cancel := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer cancel()
	svc, err := micro.AddService(conn, micro.Config{Name: serviceName, Version: "1.0.0", Description: "computes parts of questions to an archive"})
	if err != nil {
		return fmt.Errorf("begin to work at %s: %w", hidden(urls), err)
	}
	defer svc.Stop() // the connection closes anyway
	info := micro.HandlerFunc(func(r micro.Request) {
		tasks.Go(func() {
			info, err := a.Info(ctx, string(r.Data()))
			if err != nil {
				r.Error("500", err.Error(), nil) // the process that asks asks again
				return
			}
			r.RespondJSON(info)
		})
	})
	task := micro.HandlerFunc(func(r micro.Request) {
		data := append([]byte(nil), r.Data()...)
		tasks.Go(func() {
			// An error means that nobody wants the answer any more.
			a.Answer(ctx, data, func(msg []byte) error { return deliver(ctx, conn, r.Reply(), msg) })
		})
	})
	if err := svc.AddEndpoint("workers", info, micro.WithEndpointSubject(infoSubject), micro.WithEndpointQueueGroupDisabled()); err != nil {
		return fmt.Errorf("begin to work at %s: %w", hidden(urls), err)
	}
	if err := svc.AddEndpoint("task", task, micro.WithEndpointSubject(subjectPrefix+id+".task")); err != nil {
		return fmt.Errorf("begin to work at %s: %w", hidden(urls), err)
	}
	if err := conn.FlushTimeout(startWait); err != nil {
		return fmt.Errorf("begin to work at %s: %w", hidden(urls), err)
	}
	ready()
	<-ctx.Done()
	return nil
}

// deliver sends a message of an answer to inbox, and waits until it has come.
func deliver(ctx context.Context, conn *nats.Conn, inbox string, msg []byte) (err error) {
	for range replyTries {
		wait, cancel := context.WithTimeout(ctx, replyWait)
		_, err = conn.RequestWithContext(wait, inbox, msg)
		cancel()
		if err == nil || errors.Is(err, nats.ErrNoResponders) || ctx.Err() != nil {
			return err
		}
	}
	return err
}
