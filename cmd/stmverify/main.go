// Command stmverify verifies Mithril certificate chains.
//
// The result of a command goes to standard output, everything else to standard error. The exit code is 0 when what was asked for
// holds, 2 when data was checked and refused, 3 when a provider did not deliver, 4 when data uses a feature that is recognised
// but not supported, 5 when a resource bound or the time was reached, and 1 for everything else: usage, files, network.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := newApp(os.Stdin, os.Stdout, os.Stderr, os.Getenv).run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
