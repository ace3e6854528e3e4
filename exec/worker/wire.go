package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"infomall/exec/session"
	"infomall/store/crc32c"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// format is the version of tasks and records. A worker refuses a task of another version.
const format = 1

// kind is the kind of a message of an answer.
type kind uint8

// The kinds of messages.
const (
	kindRecords kind = iota + 1
	kindAlive        // nothing new, but the worker works
	kindEnd          // the answer is whole
	kindRefused      // the worker cannot answer this question
	kindFault        // the query has an error, or the archive is damaged
	kindFailed       // the worker has failed, and another may not
)

// headBytes is the length of a message without its content.
const headBytes = 17

// ChunkBytes is the most bytes of content in a message.
const ChunkBytes = 256 << 10

// message is a message of an answer.
type message struct {
	kind    kind
	attempt uint64
	number  uint32
	content []byte
}

// append appends the encoded message to dst.
func (m *message) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, byte(m.kind))
	dst = binary.BigEndian.AppendUint64(dst, m.attempt)
	dst = binary.BigEndian.AppendUint32(dst, m.number)
	crc := crc32c.Add(crc32c.Sum(dst[start:]), m.content)
	dst = binary.BigEndian.AppendUint32(dst, crc)
	return append(dst, m.content...)
}

// errDamaged says that a message of an answer is not as it was sent.
var errDamaged = errors.New("a message of the answer is damaged")

// decodeMessage returns the message that b encodes. Its content shares the memory of b.
func decodeMessage(b []byte) (m message, err error) {
	if len(b) < headBytes {
		return m, errDamaged
	}
	head, content := b[:headBytes-4], b[headBytes:]
	crc := crc32c.Add(crc32c.Sum(head), content)
	if binary.BigEndian.Uint32(b[headBytes-4:]) != crc {
		return m, errDamaged
	}
	return message{kind(b[0]), binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint32(b[9:]), content}, nil
}

// task is the order to compute one part of a question.
type task struct {
	Format   int
	Attempt  uint64
	Part     int
	State    string
	Text     string
	Now      record.Time
	Params   map[string]string
	Settings map[string]string
	Cut      int
	Plan     string
	Ranges   []keyRange
}

// keyRange is an urlkey.Range. Keys are bytes that need not be a text.
type keyRange struct{ From, To []byte }

// encodeTask returns the task for one part of q.
func encodeTask(q *session.Question, part int, attempt uint64) ([]byte, error) {
	t := task{
		Format: format, Attempt: attempt, Part: part, State: q.State, Text: q.Text, Now: q.Now,
		Params: q.Params, Settings: q.Settings, Cut: q.Cut, Plan: q.Plan,
	}
	for _, r := range q.Parts[part] {
		t.Ranges = append(t.Ranges, keyRange{[]byte(r.From), []byte(r.To)})
	}
	return json.Marshal(&t)
}

// decodeTask returns the task that b encodes.
func decodeTask(b []byte) (*task, error) {
	t := new(task)
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("the task cannot be read: %w", err)
	}
	return t, nil
}

// question returns the question of t, without its parts.
func (t *task) question() *session.Question {
	return &session.Question{
		State: t.State, Text: t.Text, Now: t.Now, Params: t.Params, Settings: t.Settings, Cut: t.Cut, Plan: t.Plan,
	}
}

// ranges returns the ranges of keys of t.
func (t *task) ranges() []urlkey.Range {
	list := make([]urlkey.Range, len(t.Ranges))
	for i, r := range t.Ranges {
		list[i] = urlkey.Range{From: string(r.From), To: string(r.To)}
	}
	return list
}
