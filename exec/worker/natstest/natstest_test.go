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
	node := followerOf(t, js)
	for range 2 { // a node that has come back is killed too
		c.Kill(node)
		if m := awaitMessage(js); m != "kept" {
			t.Errorf("while node %d is dead, the message is %q, want %q", node, m, "kept")
		}
		c.Restart(node)
	}
}

// followerOf returns a node that is not the leader of the stream s, so that its death needs no election.
func followerOf(t *testing.T, js nats.JetStreamContext) int {
	info, err := js.StreamInfo("s")
	if err != nil {
		t.Fatal(err)
	}
	if info.Cluster.Leader == "node2" {
		return 1
	}
	return 2
}

// awaitMessage returns the first message of the stream s. It asks again until a node answers;
// if none ever does, the test runs out of time.
func awaitMessage(js nats.JetStreamContext) string {
	for {
		if m, err := js.GetMsg("s", 1); err == nil {
			return string(m.Data)
		}
	}
}
