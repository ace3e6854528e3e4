package repl

import (
	"context"
	"os"
	"runtime"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/nats"
	"infomall/repl/memory"
)

// worker computes parts of queries that other processes send over NATS, until a signal ends the
// program. A signal is no error. Before that, it runs scripts, such as that of --init; their
// settings memory, temp_dir and cache hold for the parts too.
func (p *program) worker(ctx context.Context, scripts []*script) error {
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	archive := p.session.Archive()
	if !archive.Exists() {
		p.log("there is no archive in %s yet; this worker answers when there is one", archive.Path())
	}
	settings := *p.session.Settings()
	memory.Limit(settings.MemoryBytes, p.getenv)
	memory.UseHugePages()
	slots := runtime.GOMAXPROCS(0)
	settings.MemoryBytes /= int64(slots)
	open := forParts(archive, settings)
	ctx, release := p.signals.During(ctx)
	defer release()
	answerer := func(id string) *worker.Answerer {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		return worker.NewAnswerer(archive, worker.Info{ID: id, Host: host, Version: shortVersion(), Slots: slots}, open)
	}
	err := nats.Serve(ctx, p.options.Worker, answerer, func() { p.log("a worker for %s, process %d", archive.Path(), os.Getpid()) })
	if err != nil {
		p.say("infomall: %v", err)
	}
	return err
}

// forParts returns a function that makes sessions. Each session computes parts of queries to the
// archive; it changes nothing and reads no other files.
func forParts(archive session.Archive, settings session.Settings) func() *session.Session {
	return func() *session.Session {
		return exec.New(session.Options{Archive: archive, Settings: settings, ReadOnly: true, NoFiles: true, Version: shortVersion()})
	}
}

// askWorkers makes a session with the options o send parts of its queries to the workers at the
// servers of the flag --nats.
func (p *program) askWorkers(o *session.Options) {
	if p.workers != nil {
		o.Workers = p.workers(o)
	}
	if p.options.NATS == "" {
		return
	}
	p.transport = nats.New(p.options.NATS)
	o.Workers = worker.NewAsker(p.transport, worker.Options{})
}
