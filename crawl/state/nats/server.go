package nats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"infomall/crawl/state/nats/login"
)

// Bounds of the conversation with a server.
const (
	connectWait = 5 * time.Second        // for a connection
	requestWait = 5 * time.Second        // for one answer
	patience    = 30 * time.Second       // for answers in all, while the servers elect a leader or restart
	againFirst  = 20 * time.Millisecond  // pause before the second try; it doubles with each further one
	againMax    = 500 * time.Millisecond // longest pause
	changesMax  = 50                     // how often a change is tried that other processes overtake
	duplicates  = 2 * time.Minute        // how long the servers know the ids of messages; longer than patience
)

// Codes of errors of JetStream that the client does not declare.
const (
	// streamOffline is the code of "stream is offline". A cluster answers with it while a node that
	// was lost comes back.
	streamOffline = 10118
	// noPeers is the code of "no suitable peers for placement": the cluster has too few nodes, or
	// too few with JetStream or with space.
	noPeers = 10005
	// noReplicas is the code of "replicas > 1 not supported in non-clustered mode".
	noReplicas = 10074
)

// errConflict is returned by a write if another process has written since.
var errConflict = errors.New("another process has changed it meanwhile")

// server is a connection to NATS servers with JetStream. Several goroutines may use it.
type server struct {
	nc       *natsgo.Conn
	js       jetstream.JetStream
	url      string
	replicas int
}

// connect connects to one of the servers whose URLs url lists, separated by commas. Name
// and password are in the environment variables that the program nats reads too:
// NATS_USER and NATS_PASSWORD, or NATS_CREDS, and NATS_CA. The caller closes the result.
func connect(ctx context.Context, url string) (*server, error) {
	o := []natsgo.Option{
		natsgo.Name("infomall"), natsgo.Timeout(connectWait), natsgo.MaxReconnects(-1),
		natsgo.ReconnectWait(100 * time.Millisecond), natsgo.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
	}
	nc, err := natsgo.Connect(url, append(o, login.Options()...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w; nats-server -js starts a server there", url, err)
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncTimeout(requestWait), jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithDefaultTimeout(requestWait))
	if err != nil {
		nc.Close()
		return nil, err
	}
	s := &server{nc: nc, js: js, url: url, replicas: 1}
	if err := retry(ctx, func(ctx context.Context) error { _, err := js.AccountInfo(ctx); return err }); err != nil {
		nc.Close()
		return nil, fmt.Errorf("the server at %s has no JetStream: %w; nats-server -js starts one that has", url, err)
	}
	if nc.ConnectedClusterName() != "" {
		s.replicas = 3
	}
	return s, nil
}

func (s *server) close() { s.nc.Close() }

// retry calls f until it returns nil, or an error that another try would not remove (see passes).
// It gives up after patience. The context of each call ends after requestWait.
func retry(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := againFirst; ; pause = min(2*pause, againMax) {
		one, end := context.WithTimeout(ctx, requestWait)
		err := f(one)
		end()
		if err == nil || !passes(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// passes reports whether another try may succeed after err, because the server was not ready, for
// example because it restarts.
func passes(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.Code == 503 || api.ErrorCode == streamOffline) || errors.Is(err, jetstream.ErrStreamNotFound) { // a node may not know a new stream yet
		return true
	}
	for _, e := range []error{
		context.DeadlineExceeded, natsgo.ErrTimeout, natsgo.ErrNoResponders, natsgo.ErrDisconnected, natsgo.ErrConnectionReconnecting,
		natsgo.ErrReconnectBufExceeded, natsgo.ErrNoServers, jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// conflicts reports whether a server refused a message because of the sequence number
// that it expects.
func conflicts(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// unplaced reports whether err says that the servers cannot place the replicas of a stream.
func unplaced(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == noPeers || api.ErrorCode == noReplicas)
}

// stream opens a stream, and creates it if it does not exist. In a cluster it asks for
// three replicas, and for one if the cluster cannot place them: it may have fewer than three nodes.
func (s *server) stream(ctx context.Context, c jetstream.StreamConfig) (st jetstream.Stream, err error) {
	c.Storage, c.Duplicates = jetstream.FileStorage, duplicates
	for c.Replicas = s.replicas; ; c.Replicas = 1 {
		err = retry(ctx, func(ctx context.Context) (err error) {
			if st, err = s.js.Stream(ctx, c.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
				st, err = s.js.CreateStream(ctx, c)
			}
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				st, err = s.js.Stream(ctx, c.Name)
			}
			return err
		})
		if err == nil || c.Replicas == 1 || !unplaced(err) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("create the stream %s at %s: %w", c.Name, s.url, err)
	}
	return st, nil
}

// reach waits until requests for messages of a new consumer reach it. For a moment, the node of this
// connection may not know where in the cluster the consumer is. The client would send its request once, and
// wait ten seconds before it makes another consumer.
func (s *server) reach(ctx context.Context, c *jetstream.ConsumerInfo) error {
	subject := "$JS.API.CONSUMER.MSG.NEXT." + c.Stream + "." + c.Name
	for pause := time.Millisecond; ; pause = min(2*pause, againFirst) {
		// The consumer answers that this is no request, and gives no message away.
		_, err := s.nc.RequestWithContext(ctx, subject, []byte("{"))
		if !errors.Is(err, natsgo.ErrNoResponders) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// message is a message to be published.
type message struct {
	subject string
	data    []byte
	expect  uint64 // sequence number of the last message of the subject, if fenced
	fenced  bool
	seq     uint64 // set by publish
}

// publishMany is how many messages publish sends before it waits for answers.
const publishMany = 1000

// publish publishes messages and waits until the servers have stored all of them. It sends a
// message again that was not answered; the servers store it only once. The error is errConflict
// if a server refused a fenced message; other messages may be stored then.
func (s *server) publish(ctx context.Context, list []*message) error {
	for part := range slices.Chunk(list, publishMany) {
		if err := s.publishSome(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// publishSome does what publish does, for at most publishMany messages.
func (s *server) publishSome(ctx context.Context, list []*message) error {
	ids := make([]string, len(list))
	for i := range ids {
		ids[i] = rand.Text()
	}
	return retry(ctx, func(ctx context.Context) error {
		futures := make([]jetstream.PubAckFuture, len(list))
		var errs error
		for i, m := range list {
			if m.seq > 0 {
				continue
			}
			out := natsgo.NewMsg(m.subject)
			out.Data = m.data
			o := []jetstream.PublishOpt{jetstream.WithMsgID(ids[i]), jetstream.WithRetryAttempts(0)}
			if m.fenced {
				o = append(o, jetstream.WithExpectLastSequencePerSubject(m.expect))
			}
			var err error
			if futures[i], err = s.js.PublishMsgAsync(out, o...); err != nil {
				errs = errors.Join(errs, err)
			}
		}
		for i, f := range futures {
			if f == nil {
				continue
			}
			select {
			case ack := <-f.Ok():
				list[i].seq = ack.Sequence
			case err := <-f.Err():
				if conflicts(err) {
					return errConflict
				}
				errs = errors.Join(errs, err)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return errs
	})
}

// table is a stream that keeps only the last value of each key.
type table struct {
	s      *server
	stream jetstream.Stream
	prefix string // of the subjects
}

// entry is the value of a key.
type entry struct {
	data []byte
	seq  uint64    // sequence number; 0 if the key has no value
	time time.Time // by the clock of the servers
}

// openTable opens the table called name, and creates it if it does not exist.
func (s *server) openTable(ctx context.Context, name string) (*table, error) {
	prefix := strings.ReplaceAll(name, "/", ".") + "."
	st, err := s.stream(ctx, jetstream.StreamConfig{Name: strings.ReplaceAll(name, "/", "-"), Subjects: []string{prefix + ">"}, MaxMsgsPerSubject: 1})
	if err != nil {
		return nil, err
	}
	return &table{s, st, prefix}, nil
}

// get returns the value of a key. It asks the leader of the stream, so the value is the
// present one.
func (t *table) get(ctx context.Context, key string) (e entry, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		m, err := t.stream.GetLastMsgForSubject(ctx, t.prefix+key)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			e = entry{}
			return nil
		}
		if err == nil {
			e = entry{m.Data, m.Sequence, m.Time}
		}
		return err
	})
	return e, err
}

// put sets the value of a key, whatever it is now.
func (t *table) put(ctx context.Context, key string, data []byte) error {
	return t.s.publish(ctx, []*message{{subject: t.prefix + key, data: data}})
}

// swap sets the value of a key if the value still has the sequence number expect, and returns the
// sequence number of the new value. If another process has changed the value, the error is
// errConflict.
func (t *table) swap(ctx context.Context, key string, data []byte, expect uint64) (uint64, error) {
	m := &message{subject: t.prefix + key, data: data, expect: expect, fenced: true}
	err := t.s.publish(ctx, []*message{m})
	return m.seq, err
}

// keys returns the keys with a prefix, sorted. The prefix ends with a dot.
func (t *table) keys(ctx context.Context, prefix string) (list []string, err error) {
	counts, err := countSubjects(ctx, t.stream, t.prefix+prefix+">")
	for subject := range counts {
		list = append(list, strings.TrimPrefix(subject, t.prefix))
	}
	slices.Sort(list)
	return list, err
}

// countSubjects returns the number of messages of each subject that filter matches.
func countSubjects(ctx context.Context, st jetstream.Stream, filter string) (counts map[string]uint64, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		info, err := st.Info(ctx, jetstream.WithSubjectFilter(filter))
		if err == nil {
			counts = info.State.Subjects
		}
		return err
	})
	return counts, err
}

// change replaces the value of a key, which is JSON of type T, by the value that f changes it
// to. If another process changes the value meanwhile, change calls f again. If f returns
// errKeep, the value stays as it is, and change returns nil.
func change[T any](ctx context.Context, t *table, key string, f func(v *T) error) (v T, seq uint64, err error) {
	for range changesMax {
		e, err := t.get(ctx, key)
		if err != nil {
			return v, 0, err
		}
		v = *new(T)
		if e.seq > 0 {
			if err := json.Unmarshal(e.data, &v); err != nil {
				return v, 0, fmt.Errorf("%s%s: %w", t.prefix, key, err)
			}
		}
		if err := f(&v); err != nil {
			if errors.Is(err, errKeep) {
				return v, e.seq, nil
			}
			return v, e.seq, err
		}
		data, err := json.Marshal(&v)
		if err != nil {
			return v, 0, err
		}
		seq, err := t.swap(ctx, key, data, e.seq)
		if !errors.Is(err, errConflict) {
			return v, seq, err
		}
		select {
		case <-ctx.Done():
			return v, 0, ctx.Err()
		case <-time.After(time.Duration(mathrand.Int64N(int64(againFirst)))):
		}
	}
	return v, 0, fmt.Errorf("%s%s: %w, %d times", t.prefix, key, errConflict, changesMax)
}

// errKeep is returned by a function that change calls, to leave the value as it is.
var errKeep = errors.New("no change")

// read returns the value of a key, which is JSON of type T, and its sequence number. It
// returns the zero value and 0 if the key has none.
func read[T any](ctx context.Context, t *table, key string) (v T, e entry, err error) {
	if e, err = t.get(ctx, key); err != nil || e.seq == 0 {
		return v, e, err
	}
	if err := json.Unmarshal(e.data, &v); err != nil {
		return v, e, fmt.Errorf("%s%s: %w", t.prefix, key, err)
	}
	return v, e, nil
}
