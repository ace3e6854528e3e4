package doctor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	crawls "infomall/crawl/state/nats"
	"infomall/crawl/state/nats/login"
	workers "infomall/exec/worker/nats"
)

const (
	// patience is how long one check of NATS may take.
	patience = 30 * time.Second
	// redeliverAfter is the time after which the server sends a message again that was not
	// acknowledged.
	redeliverAfter = 500 * time.Millisecond
	// published is how many messages are timed.
	published = 200
)

// natsCheck has what all checks of NATS servers use.
type natsCheck struct {
	*report
	ctx  context.Context
	conn *nats.Conn
	js   jetstream.JetStream
	urls string // of the servers
	name string // of the stream and the bucket of the checks
}

// checkNATS checks the servers at urls, which are separated by commas.
func checkNATS(ctx context.Context, r *report, urls string) {
	fmt.Fprintln(r.w, withoutPasswords(urls))
	n := &natsCheck{report: r, ctx: ctx, urls: urls, name: "doctor-" + rand.Text()[:10]}
	defer func() {
		if n.conn != nil {
			n.conn.Close()
		}
	}()
	if !n.check("connect", "nothing can be done there", n.connect) {
		return
	}
	v, text := payload(n.conn.MaxPayload())
	n.line(v, "largest message", "%s", text)
	if !n.check("JetStream", "crawls by many fetchers need it; questions by many workers do not: write jetstream {} into the servers' configuration", n.jetStream) {
		return
	}
	defer n.clean()
	if !n.check("stream on disk", "no crawl can keep its frontier there", n.stream) {
		return
	}
	n.replicas()
	n.check("expected sequence", "two owners of a partition could both write its frontier", n.expected)
	n.check("redelivery", "a page that a dead fetcher had would never be fetched", n.redelivery)
	if n.check("KV", "hosts could not have one owner", n.keys) {
		n.check("KV, in a race", "two fetchers could own one host at once", n.race)
	}
	n.clock()
	n.sync()
	n.check("speed", "no message is kept", n.speed)
}

// withoutPasswords returns urls without the user name and password in each URL, which are before
// the @.
func withoutPasswords(urls string) string {
	list := strings.Split(urls, ",")
	for i, u := range list {
		if p, err := url.Parse(u); err == nil && p.User != nil {
			p.User = nil
			list[i] = p.String()
		}
	}
	return strings.Join(list, ",")
}

// within returns a context for one check.
func (n *natsCheck) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(n.ctx, patience)
}

func (n *natsCheck) connect() (string, error) {
	var err error
	o := []nats.Option{nats.Name("infomall doctor"), nats.Timeout(10 * time.Second)}
	if n.conn, err = nats.Connect(n.urls, append(o, login.Options()...)...); err != nil {
		return "", err
	}
	trip, err := n.conn.RTT()
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("server %s, version %s, %s away", n.conn.ConnectedServerName(), n.conn.ConnectedServerVersion(), trip.Round(10*time.Microsecond))
	if c := n.conn.ConnectedClusterName(); c != "" {
		text += ", of the cluster " + c
	}
	return text, nil
}

// payload returns the result of the check of the largest message, in bytes, that the servers take.
func payload(most int64) (verdict, string) {
	switch {
	case most < workers.PayloadMin:
		return failed, fmt.Sprintf("the servers take messages of up to %d bytes, and workers send up to %d: workers could not send their answers; raise max_payload", most, workers.PayloadMin)
	case most < crawls.PayloadMin:
		return note, fmt.Sprintf("%d bytes: enough for workers; a crawl by many fetchers may send up to %d, and would end there; raise max_payload", most, crawls.PayloadMin)
	}
	return ok, fmt.Sprintf("%d bytes", most)
}

func (n *natsCheck) jetStream() (string, error) {
	var err error
	if n.js, err = jetstream.New(n.conn); err != nil {
		return "", err
	}
	ctx, cancel := n.within()
	defer cancel()
	info, err := n.js.AccountInfo(ctx)
	if err != nil {
		return "", err
	}
	limit := "no limit"
	if info.Limits.MaxStore >= 0 {
		limit = fmt.Sprintf("at most %d MB", info.Limits.MaxStore>>20)
	}
	return fmt.Sprintf("on; streams: %d; %s on disk", info.Streams, limit), nil
}

// config returns the settings of the stream that the checks use: a work queue on disk.
func (n *natsCheck) config(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: n.name, Subjects: []string{n.name + ".>"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Replicas: replicas, MaxBytes: 16 << 20,
	}
}

// retry calls do until it succeeds, if there is no answer or nobody can answer yet: a cluster
// loses or refuses requests while it elects a leader. What do creates may exist already at its
// second call.
func retry(ctx context.Context, do func(ctx context.Context) error) error {
	for {
		one, cancel := context.WithTimeout(ctx, patience/10)
		err := do(one)
		cancel()
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse):
			time.Sleep(50 * time.Millisecond)
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
	}
}

// create makes a stream.
func (n *natsCheck) create(ctx context.Context, config jetstream.StreamConfig) error {
	return retry(ctx, func(ctx context.Context) error {
		_, err := n.js.CreateStream(ctx, config)
		return err
	})
}

func (n *natsCheck) stream() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	if err := n.create(ctx, n.config(1)); err != nil {
		return "", err
	}
	var ack *jetstream.PubAck
	err := retry(ctx, func(ctx context.Context) (err error) {
		ack, err = n.js.Publish(ctx, n.subject("first"), []byte("x"), jetstream.WithMsgID("first"))
		return err
	})
	if err != nil {
		return "", err
	}
	again, err := n.js.Publish(ctx, n.subject("first"), []byte("x"), jetstream.WithMsgID("first"))
	if err != nil {
		return "", err
	}
	if !again.Duplicate || again.Sequence != ack.Sequence {
		return "", errors.New("a message that is sent twice with one ID is kept twice")
	}
	return "a message is kept, and kept once when it is sent twice", nil
}

func (n *natsCheck) subject(s string) string { return n.name + "." + s }

// replicas checks whether a stream can have three replicas, and reports the result.
func (n *natsCheck) replicas() {
	ctx, cancel := n.within()
	defer cancel()
	config := n.config(3)
	config.Name, config.Subjects = n.name+"-3", []string{n.name + "-3.>"}
	if err := n.create(ctx, config); err != nil {
		n.line(note, "replicas", "a stream cannot have 3 (%v): if the server's disk is lost, so is the frontier of each crawl; three servers in a cluster keep it", err)
		return
	}
	defer n.js.DeleteStream(ctx, config.Name) // the clean-up tries again
	err := retry(ctx, func(ctx context.Context) error {
		_, err := n.js.Publish(ctx, n.name+"-3.x", []byte("x"))
		return err
	})
	if err != nil {
		n.line(note, "replicas", "a stream with 3 takes no message: %v", err)
		return
	}
	n.line(ok, "replicas", "a stream can have 3, and takes messages")
}

// expected checks that a server stores a message with an expected last sequence only if that
// sequence is right.
func (n *natsCheck) expected() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	ack, err := n.js.Publish(ctx, n.subject("expected"), []byte("one"), jetstream.WithExpectLastSequencePerSubject(0))
	if err != nil {
		return "", err
	}
	if _, err := n.js.Publish(ctx, n.subject("expected"), []byte("two"), jetstream.WithExpectLastSequencePerSubject(0)); err == nil {
		return "", errors.New("a message that expects another one before it is kept")
	} else if !wrongSequence(err) {
		return "", err
	}
	if _, err := n.js.Publish(ctx, n.subject("expected"), []byte("three"), jetstream.WithExpectLastSequencePerSubject(ack.Sequence)); err != nil {
		return "", err
	}
	return "a message that expects another one before it is refused", nil
}

// wrongSequence reports whether err says that the server refused a message or a key because
// another one came first.
func wrongSequence(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// redelivery checks that a work queue delivers a message again until it is acknowledged.
func (n *natsCheck) redelivery() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	if _, err := n.js.Publish(ctx, n.subject("work"), []byte("x")); err != nil {
		return "", err
	}
	var consumer jetstream.Consumer
	err := retry(ctx, func(ctx context.Context) (err error) {
		consumer, err = n.js.CreateConsumer(ctx, n.name, jetstream.ConsumerConfig{
			Durable: "doctor", FilterSubject: n.subject("work"), AckPolicy: jetstream.AckExplicitPolicy, AckWait: redeliverAfter,
		})
		return err
	})
	if err != nil {
		return "", err
	}
	for i := range 3 {
		var msg jetstream.Msg
		err := retry(ctx, func(context.Context) (err error) {
			msg, err = consumer.Next(jetstream.FetchMaxWait(patience / 3))
			return err
		})
		if err != nil {
			return "", fmt.Errorf("delivery %d of a message that was not acknowledged: %w", i+1, err)
		}
		if i == 2 {
			if err := msg.DoubleAck(ctx); err != nil {
				return "", err
			}
		}
	}
	stream, err := n.js.Stream(ctx, n.name)
	if err != nil {
		return "", err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(n.subject("work")))
	if err != nil {
		return "", err
	}
	if left := info.State.Subjects[n.subject("work")]; left > 0 {
		return "", errors.New("a message is still there after it was acknowledged")
	}
	return "a message comes again until it is acknowledged, and is gone then", nil
}

// bucket returns the KV bucket of the checks, which it creates if it does not exist.
func (n *natsCheck) bucket(ctx context.Context) (kv jetstream.KeyValue, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		kv, err = n.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: n.name, Storage: jetstream.FileStorage, MaxBytes: 1 << 20})
		return err
	})
	return kv, err
}

func (n *natsCheck) keys() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	kv, err := n.bucket(ctx)
	if err != nil {
		return "", err
	}
	one, err := kv.Create(ctx, "key", []byte("one"))
	if err != nil {
		return "", err
	}
	if _, err := kv.Create(ctx, "key", []byte("two")); err == nil {
		return "", errors.New("a key that exists is created again")
	}
	two, err := kv.Update(ctx, "key", []byte("two"), one)
	if err != nil {
		return "", err
	}
	if _, err := kv.Update(ctx, "key", []byte("three"), one); err == nil {
		return "", errors.New("a key is changed by one who has seen an older value")
	}
	now, err := kv.Get(ctx, "key")
	if err != nil {
		return "", err
	}
	if now.Revision() != two || string(now.Value()) != "two" {
		return "", fmt.Errorf("the value is %q of revision %d, and should be that of %d", now.Value(), now.Revision(), two)
	}
	return "a key is changed only by one who has seen its last value", nil
}

// race lets two writers change the same key at once. It fails unless exactly one succeeds.
func (n *natsCheck) race() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	kv, err := n.bucket(ctx)
	if err != nil {
		return "", err
	}
	for i := range rounds {
		start, err := kv.Put(ctx, "race", []byte(fmt.Sprint("start of round ", i)))
		if err != nil {
			return "", err
		}
		var errs [2]error
		var both sync.WaitGroup
		for w := range errs {
			both.Go(func() { _, errs[w] = kv.Update(ctx, "race", []byte(fmt.Sprint("writer ", w)), start) })
		}
		both.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !wrongSequence(err) && !errors.Is(err, jetstream.ErrKeyExists) {
				return "", err
			}
		}
		if won != 1 {
			return "", fmt.Errorf("in round %d of %d, %d of two writers won", i+1, rounds, won)
		}
	}
	return fmt.Sprintf("exactly one of two writers wins, in %d rounds", rounds), nil
}

// clock compares the clock of the server with the one of this machine.
func (n *natsCheck) clock() {
	ctx, cancel := n.within()
	defer cancel()
	before := time.Now()
	stream, err := n.js.Stream(ctx, n.name)
	if err != nil {
		n.line(failed, "clock", "%v", err)
		return
	}
	// The server says when it has answered.
	at := stream.CachedInfo().TimeStamp
	skew := max(time.Until(at), before.Sub(at), 0)
	switch {
	case at.IsZero():
		n.line(note, "clock", "the server does not say its time")
	case skew > skewNote:
		n.line(note, "clock", "the clocks are %s apart; waiting times of hosts use the clocks of the fetchers", skew.Round(time.Second))
	default:
		n.line(ok, "clock", "less than %s from this machine", skewNote)
	}
}

// sync reports how often the server syncs messages to its disk. The server answers this question
// only to a client of the system account.
func (n *natsCheck) sync() {
	const name = "sync to disk"
	msg, err := n.conn.Request("$SYS.REQ.SERVER.PING.JSZ", nil, time.Second)
	var reply struct {
		Data struct {
			Config struct {
				Interval time.Duration `json:"sync_interval"`
				Always   bool          `json:"sync_always"`
			} `json:"config"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(msg.Data, &reply)
	}
	switch c := reply.Data.Config; {
	case err != nil || !c.Always && c.Interval == 0:
		n.line(note, name, "not known: only the system account may ask. The default is every 2 minutes: then messages are lost when all servers lose power at once; sync_interval: always keeps them")
	case c.Always:
		n.line(ok, name, "each message, before it is acknowledged")
	default:
		n.line(note, name, "every %s: messages are lost when all servers lose power at once; sync_interval: always keeps them", c.Interval)
	}
}

// speed measures how fast the server stores messages.
func (n *natsCheck) speed() (string, error) {
	ctx, cancel := n.within()
	defer cancel()
	var one times
	content := make([]byte, 1024)
	for range smallReads {
		if err := one.took(func() error { _, err := n.js.Publish(ctx, n.subject("speed"), content); return err }); err != nil {
			return "", err
		}
	}
	start := time.Now()
	for range published {
		if _, err := n.js.PublishAsync(n.subject("speed"), content); err != nil {
			return "", err
		}
	}
	select {
	case <-n.js.PublishAsyncComplete():
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return fmt.Sprintf("a message of 1 KB is kept after %s (median); %.0f messages a second without waiting", one.median(), published/time.Since(start).Seconds()), nil
}

// clean removes the streams of the checks, also after the checks were cancelled.
func (n *natsCheck) clean() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), cleanup)
	defer cancel()
	for _, name := range []string{n.name, n.name + "-3", "KV_" + n.name} {
		if err := n.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			n.line(note, "clean up", "%v; remove the stream %s yourself", err, name)
		}
	}
}
