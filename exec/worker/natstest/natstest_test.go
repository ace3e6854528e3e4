package natstest

import (
	"testing"

	"github.com/nats-io/nats.go"
)

// TestKillAndRestart shows that a cluster keeps a message of a stream with three replicas
// while one node is dead.
func TestKillAndRestart(t *testing.T) {
	c := Start(t, 3)
	conn, err := nats.Connect(c.URLs(), nats.MaxReconnects(-1), nats.ReconnectWait(1e6))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.AddStream(&nats.StreamConfig{Name: "s", Subjects: []string{"s.*"}, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish("s.a", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a node that has come back is killed too
		c.Kill(2)
		if m := awaitMessage(t, js); m != "kept" {
			t.Errorf("while node 2 is dead, the message is %q, want %q", m, "kept")
		}
		c.Restart(2)
	}
}

// awaitMessage returns the first message of the stream s. While the cluster has no leader, it asks again.
func awaitMessage(t *testing.T, js nats.JetStreamContext) string {
	for {
		m, err := js.GetMsg("s", 1)
		if err == nil {
			return string(m.Data)
		}
		if err != nats.ErrNoResponders && err != nats.ErrTimeout && err != nats.ErrNoStreamResponse {
			t.Fatal(err)
		}
	}
}
