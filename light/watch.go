package light

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stmverify/stmverify/verdict"
)

// The defaults of [Schedule].
const (
	DefaultInterval   = 2 * time.Minute
	DefaultMinBackoff = 5 * time.Second
	DefaultMaxBackoff = 10 * time.Minute
)

// Schedule says when a watch syncs. Zero fields have their defaults.
type Schedule struct {
	Interval   time.Duration // after a sync that succeeded
	MinBackoff time.Duration // after one that failed, doubled with each further failure
	MaxBackoff time.Duration
	Target     Target
}

// Watch syncs until ctx is done or going on makes no sense, and returns why, never nil. It goes on after everything that a
// provider does: when it does not deliver, and when it sends what is refused. It returns the error when what was verified
// contradicts the store or a witness, which needs somebody to decide, and when the store fails.
//
// Each wait is shortened at random by up to one eighth, so that many clients do not ask at the same moment.
func (c *Client) Watch(ctx context.Context, s Schedule) error {
	if err := s.fill(); err != nil {
		return err
	}
	for failures := 0; ; {
		_, err := c.Sync(ctx, s.Target)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			failures = 0
		case errors.Is(err, ErrConflict), verdict.Class(err) == nil:
			return err
		default:
			failures++
		}
		wait := s.wait(failures)
		c.observer.Observe(Waiting{For: wait, Failures: failures, Err: err})
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (s *Schedule) fill() error {
	for _, field := range []struct {
		value *time.Duration
		unset time.Duration
	}{{&s.Interval, DefaultInterval}, {&s.MinBackoff, DefaultMinBackoff}, {&s.MaxBackoff, DefaultMaxBackoff}} {
		if *field.value < 0 {
			return fmt.Errorf("light: negative duration in a schedule: %s", *field.value)
		}
		if *field.value == 0 {
			*field.value = field.unset
		}
	}
	return nil
}

// wait returns the wait after a sync, given how many have failed in a row.
func (s *Schedule) wait(failures int) time.Duration {
	wait := s.Interval
	if failures > 0 {
		wait = s.MaxBackoff
		if n := failures - 1; n < 32 && s.MinBackoff < s.MaxBackoff>>n {
			wait = s.MinBackoff << n
		}
	}
	return wait - rand.N(wait/8+1)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
