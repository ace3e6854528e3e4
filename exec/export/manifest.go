package export

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/spill"
	"infomall/lang/ast"
	"infomall/store/record"
)

// capturedEvidence is a line of captures.jsonl: one capture of the evidence.
type capturedEvidence struct {
	ID           string `json:"record_id"` // of its record in archive/data.warc.gz
	URL          string `json:"url"`
	Time         string `json:"time"`
	Status       int    `json:"status,omitempty"`
	Mime         string `json:"mime,omitempty"`
	Bytes        int64  `json:"bytes"`
	Digest       string `json:"sha256,omitempty"` // of the body; none if the archive does not have it
	Source       string `json:"source,omitempty"` // the file from which the archive imported the capture
	SourceOffset int64  `json:"source_offset"`
}

// writeCaptures writes the captures in found to out and gives each capture its ID. It
// returns how many captures have no body in the archive (bodyless), and the lines of
// captures.jsonl, which the caller closes.
func (p *provenance) writeCaptures(ctx context.Context, out *waczFile, snap relation.Snapshot, a *answer, found *evidence) (bodyless int64, lines *spill.Spool, err error) {
	spool := a.runner.Memory.Spool(8)
	defer func() {
		if err != nil {
			spool.Close()
		}
	}()
	for i := range found.list {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		c := &found.list[i]
		s, err := snap.Stored(ctx, c.ref)
		if err != nil {
			return 0, nil, err
		}
		if c.id, err = out.add(&s); err != nil {
			return 0, nil, err
		}
		line := capturedEvidence{
			ID: c.id, URL: s.URL, Time: s.Time.Std().Format(time.RFC3339Nano), Status: s.Status, Mime: s.MediaType(),
			Bytes: s.Size, Source: filepath.ToSlash(s.Source), SourceOffset: s.Offset,
		}
		if s.Digest != (record.Digest{}) {
			line.Digest = hex.EncodeToString(s.Digest[:])
		}
		if s.NoBody != "" {
			bodyless++
		}
		text, err := json.Marshal(&line)
		if err != nil {
			return 0, nil, err
		}
		if err := spool.Add(append(text, '\n')); err != nil {
			return 0, nil, err
		}
	}
	return bodyless, spool, nil
}

// answering has the names of the settings that can change the answer of a query.
var answering = []string{"collapse", "default_level", "level", "profile", "timezone"}

// manifest is the content of manifest.json: the query, the archive that answered it, the
// time, and the program.
type manifest struct {
	Statement  string            `json:"statement"`
	Parameters map[string]string `json:"parameters,omitempty"` // values of the parameters in the statement
	Settings   map[string]string `json:"settings"`
	Defined    []string          `json:"definitions,omitempty"` // CREATE VIEW and CREATE METADATA for what the statement reads
	Time       string            `json:"time"`
	Archive    string            `json:"archive"`       // the name of its folder
	State      string            `json:"archive_state"` // its ID and generation
	Program    string            `json:"program"`
	Rows       int64             `json:"rows"`
	Captures   int               `json:"captures"`
}

// manifest returns the text of manifest.json.
func (p *provenance) manifest(snap relation.Snapshot, a *answer, found *evidence) ([]byte, error) {
	params, settings := asked(p.st, p.s.Params(), p.s.Settings())
	var defined []string
	if d, err := p.s.Env().Defined(); err != nil {
		return nil, err
	} else if d != nil {
		defined = definitions(p.st.Query, d)
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	err := out.Encode(manifest{
		Statement: p.st.Query.String(), Parameters: params, Settings: settings, Defined: defined, Time: p.s.Env().Now.Std().Format(time.RFC3339Nano),
		Archive: filepath.Base(p.s.Archive().Path()), State: snap.State(), Program: software + " " + p.s.Version(),
		Rows: a.n, Captures: len(found.list),
	})
	return text.Bytes(), err
}

// asked returns the values of those parameters that the statement contains, and of the
// settings that can change its answer. given has the values of all parameters.
func asked(statement ast.Node, given map[string]string, set *session.Settings) (params, settings map[string]string) {
	params, settings = make(map[string]string), make(map[string]string, len(answering))
	ast.Walk(statement, func(n ast.Node) bool {
		if x, ok := n.(*ast.Param); ok {
			params[x.Name] = given[x.Name]
		}
		return true
	})
	for _, name := range answering {
		settings[name] = session.SettingNamed(name).Get(set)
	}
	return params, settings
}
