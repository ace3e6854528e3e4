package repl

import (
	"context"
	"errors"

	"infomall/crawl/render"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/repl/serve"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// openReplay starts a browser that shows pages of the archive of the session in replay;
// see session.Options. The caller closes it.
func (p *program) openReplay(ctx context.Context, o session.ReplayOptions) (session.Replay, error) {
	options := render.Options{Path: o.Path, NoSandbox: o.NoSandbox, Temp: o.Temp, Screenshot: o.Pictures}
	if err := readRules(&options, o.Consent, o.More); err != nil {
		return nil, err
	}
	pool, err := render.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	archive, settings := p.session.Archive(), *p.session.Settings()
	inside, err := serve.NewInside(serve.Options{Archive: archive, Session: func() *session.Session {
		return exec.New(session.Options{Archive: archive, Settings: settings, ReadOnly: true, NoFiles: true})
	}})
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &replayed{pool, inside}, nil
}

// replayed shows pages of an archive in replay; see session.Replay.
type replayed struct {
	pool   *render.Pool
	inside *serve.Inside
}

// Show shows the capture of url that is nearest to t; see session.Replay.
func (r *replayed) Show(ctx context.Context, url string, t record.Time) (*session.Replayed, error) {
	v := r.inside.Visit(url, t)
	shown, err := r.pool.Show(ctx, render.Page{URL: v.URL, Host: urlkey.Host(url), Send: func(ctx context.Context, q *render.Request) (*render.Response, error) {
		head, body, err := v.Send(ctx, q.Method, q.URL, q.Head, q.Body)
		if err != nil {
			return nil, err
		}
		return &render.Response{Head: head, Body: body}, nil
	}})
	if err != nil {
		return nil, err
	}
	parts, missing := v.Asked()
	return &session.Replayed{DOM: shown.DOM, Picture: shown.Screenshot, Parts: parts, Missing: missing, Ended: shown.Ended}, nil
}

// Close ends the browser; see session.Replay.
func (r *replayed) Close() error {
	r.inside.Close()
	return r.pool.Close()
}
