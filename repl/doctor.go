package repl

import (
	"context"
	"errors"
	"fmt"

	"infomall/repl/cluster"
	"infomall/repl/doctor"
	"infomall/repl/interrupts"
)

// doctor is the tool doctor. It checks whether the stores and servers at the URLs in args do
// what infomall needs, and returns the exit status. With --compose it prints the file for Docker
// Compose that starts infomall on several machines.
func (p *program) doctor(args []string) int {
	if len(args) == 1 && args[0] == "--compose" {
		fmt.Fprint(p.stdout, cluster.Compose)
		return statusDone
	}
	for _, a := range args {
		if !doctor.IsPlace(a) {
			return p.usage(fmt.Errorf("infomall doctor checks s3://BUCKET/PREFIX and nats://HOST:PORT, and %q is neither", a))
		}
	}
	if len(args) == 0 {
		return p.usage(errors.New("write infomall doctor s3://BUCKET/PREFIX nats://HOST:PORT, or infomall doctor --compose"))
	}
	signals, ctx := interrupts.Watch(context.Background(), p.stderr, p.force)
	defer signals.Close()
	ctx, release := signals.During(ctx)
	defer release()
	failed, err := doctor.Check(ctx, p.stdout, args...)
	switch {
	case err != nil:
		p.say("infomall: %v", err)
		return statusOf(err)
	case failed == 1:
		fmt.Fprintln(p.stdout, "1 check failed that infomall needs")
	case failed > 1:
		fmt.Fprintf(p.stdout, "%d checks failed that infomall needs\n", failed)
	default:
		fmt.Fprintln(p.stdout, "all is well that infomall needs")
		return statusDone
	}
	return statusFailed
}
