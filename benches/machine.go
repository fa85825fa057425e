package benches

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine says where and with what a run was made. Fields that the system does
// not tell are empty; load figures are -1.
type Machine struct {
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	GoMaxProcs int               `json:"gomaxprocs"`
	OS         string            `json:"os"`
	Arch       string            `json:"arch"`
	Go         string            `json:"go"`
	Backend    string            `json:"backend,omitempty"`
	Governor   string            `json:"governor,omitempty"`
	Turbo      string            `json:"turbo,omitempty"`
	LoadBefore float64           `json:"load_before"`
	Commit     string            `json:"commit,omitempty"`
	Dirty      bool              `json:"dirty,omitempty"`
	Build      map[string]string `json:"build,omitempty"`
}

// busyLoad is the share of a core used by others above which a benchmark is
// reported as disturbed.
const busyLoad = 0.25

// Busy reports whether others used the machine before the run: a load average
// above half of the cores.
func (m Machine) Busy() bool { return m.LoadBefore > float64(m.Cores)/2 }

// ThisMachine reads the machine and the build this process came from. backend
// names the curve library.
func ThisMachine(backend string) Machine {
	m := Machine{
		CPU:        cpuModel(),
		Cores:      runtime.NumCPU(),
		GoMaxProcs: runtime.GOMAXPROCS(0),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Go:         runtime.Version(),
		Backend:    backend,
		Governor:   readLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Turbo:      turbo(),
		LoadBefore: loadAverage(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	m.Build = map[string]string{}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			m.Commit = s.Value
		case "vcs.modified":
			m.Dirty = s.Value == "true"
		case "-tags", "-race", "-gcflags", "-pgo", "CGO_ENABLED", "GOAMD64", "GOARM64":
			m.Build[s.Key] = s.Value
		}
		if s.Key == "-pgo" { // a path says where the machine keeps its files
			m.Build[s.Key] = filepath.Base(s.Value)
		}
	}
	return m
}

// readLine returns the first line of a small system file, "" when unreadable.
func readLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func turbo() string {
	switch {
	case readLine("/sys/devices/system/cpu/intel_pstate/no_turbo") == "0", readLine("/sys/devices/system/cpu/cpufreq/boost") == "1":
		return "on"
	case readLine("/sys/devices/system/cpu/intel_pstate/no_turbo") == "1", readLine("/sys/devices/system/cpu/cpufreq/boost") == "0":
		return "off"
	}
	return ""
}

func loadAverage() float64 {
	first, _, _ := strings.Cut(readLine("/proc/loadavg"), " ")
	v, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return v
}

// cpuClock is the processor time of the system, and of this process and its
// workers, in ticks of a hundredth of a second.
type cpuClock struct {
	busy, own float64
	ok        bool
	workers   []int
}

// readCPUClock reads processor times on Linux; elsewhere ok is false. workers
// are processes that are no others to this one.
func readCPUClock(workers ...int) cpuClock {
	busy, ok := systemBusy(readLine("/proc/stat"))
	own, okOwn := processTime(readLine("/proc/self/stat"))
	c := cpuClock{busy, own, ok && okOwn, workers}
	for _, pid := range workers {
		t, ok := processTime(readLine(filepath.Join("/proc", strconv.Itoa(pid), "stat")))
		c.own += t
		c.ok = c.ok && ok
	}
	return c
}

// systemBusy sums the busy columns of the first line of /proc/stat: user,
// nice, system, irq, softirq and steal (time a hypervisor gave to others).
func systemBusy(line string) (float64, bool) {
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, false
	}
	t := 0.0
	for _, i := range []int{1, 2, 3, 6, 7, 8} {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return 0, false
		}
		t += v
	}
	return t, true
}

// processTime sums user and system time, with waited-for children, of a line
// of /proc/self/stat. Its second field may hold spaces, so counting starts
// behind the closing parenthesis.
func processTime(line string) (float64, bool) {
	_, rest, ok := cutLast(line, ") ")
	f := strings.Fields(rest)
	if !ok || len(f) < 15 {
		return 0, false
	}
	t := 0.0
	for _, s := range f[11:15] {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, false
		}
		t += v
	}
	return t, true
}

// processNanoseconds returns the processor time of all threads of a process
// that still run, in nanoseconds, on Linux; elsewhere ok is false.
func processNanoseconds(pid int) (ns int64, ok bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "task")
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return 0, false
	}
	for _, t := range tasks {
		first, _, _ := strings.Cut(readLine(filepath.Join(dir, t.Name(), "schedstat")), " ")
		v, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			continue // the thread ended meanwhile
		}
		ns += v
	}
	return ns, ns > 0
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// otherLoad returns how many cores others kept busy since the clock was read,
// over the given seconds, -1 when unknown.
func (c cpuClock) otherLoad(seconds float64) float64 {
	now := readCPUClock(c.workers...)
	if !c.ok || !now.ok || seconds < 0.05 {
		return -1
	}
	others := (now.busy - c.busy) - (now.own - c.own)
	return max(0, others/100/seconds)
}
