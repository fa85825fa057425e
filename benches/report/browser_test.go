package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// probe runs in a test copy of the page, which itself has no scripts. It opens
// everything, then looks for what a reader would complain about: texts over
// each other, content wider than the window, plots without area, sections
// without content.
const probe = `<script>
const problems = [];
addEventListener("error", e => problems.push("script error: " + e.message));
addEventListener("load", () => {
  document.querySelectorAll("details").forEach(d => d.open = true);
  const texts = [];
  document.querySelectorAll("svg").forEach((svg, i) => {
    const box = svg.getBoundingClientRect();
    const name = svg.getAttribute("aria-label");
    if (box.width < 100 || box.height < 40) problems.push("small plot: " + name + " " + box.width + "x" + box.height);
    let ink = 0;
    svg.querySelectorAll("path:not(.g):not(.ax),rect").forEach(p => { const b = p.getBBox(); if (b.width > 0 || b.height > 0) ink++; });
    if (!ink) problems.push("empty plot: " + name);
    const labels = [...svg.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()]);
    labels.forEach(([t, r], k) => {
      if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1)
        problems.push("text leaves plot: " + name + ": " + t.textContent);
      labels.slice(k + 1).forEach(([u, q]) => {
        const w = Math.min(r.right, q.right) - Math.max(r.left, q.left), h = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
        if (w > 0.5 && h > 2) problems.push("overlap: " + name + ": " + t.textContent + " / " + u.textContent);
      });
    });
  });
  const blocks = [...document.querySelectorAll("h1,h2,h3,h4,p,figure,.scroll,summary,ul.legend,dl.facts>div")].filter(e => e.getClientRects().length);
  blocks.forEach((e, i) => {
    const r = e.getBoundingClientRect();
    if (r.right > innerWidth + 1 || r.left < -1) problems.push("wider than the window: " + e.tagName + " " + e.textContent.slice(0, 40));
    blocks.slice(i + 1, i + 12).forEach(f => {
      if (e.contains(f) || f.contains(e)) return;
      const q = f.getBoundingClientRect();
      const w = Math.min(r.right, q.right) - Math.max(r.left, q.left), h = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
      if (w > 1 && h > 1) problems.push("blocks overlap: " + e.textContent.slice(0, 30) + " / " + f.textContent.slice(0, 30));
    });
  });
  document.querySelectorAll("section").forEach(s => { if (s.getBoundingClientRect().height < 20) problems.push("empty section: " + s.id); });
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.push("the page scrolls sideways: " + document.documentElement.scrollWidth);
  parent.postMessage(JSON.stringify({width: innerWidth, height: document.documentElement.scrollHeight, plots: document.querySelectorAll("svg").length,
    sections: [...document.querySelectorAll("section[id]")].map(s => s.id), problems}), "*");
});
</script>`

// frame shows a file at a width below the least one of a Chromium window, and
// writes down what the probe in it found.
const frame = `<!DOCTYPE html><body style="margin:0"><iframe src="%s" style="border:0;width:%dpx;height:%dpx"></iframe><script>
addEventListener("message", e => { const p = document.createElement("pre"); p.id = "probe"; p.textContent = e.data; document.body.appendChild(p); });
</script>`

// chromium finds a browser, or skips.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium found: the layout of the report is not tested")
	return ""
}

var browserFlags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--hide-scrollbars",
}

// TestLayout opens the report in headless Chromium, wide and narrow. REPORT_FILE
// names a page to look at in place of the sample's.
func TestLayout(t *testing.T) {
	browser := chromium(t)
	page := string(renderHTML(t, sampleInput(t)))
	if path := os.Getenv("REPORT_FILE"); path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page = string(b)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, []byte(strings.Replace(page, "</body>", probe+"</body>", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1280, 400} {
		t.Run(fmt.Sprintf("width=%d", width), func(t *testing.T) {
			out := run(t, browser, framed(t, file, width, 900), width, 900, "--virtual-time-budget=4000", "--dump-dom")
			m := regexp.MustCompile(`(?s)<pre id="probe">(.*?)</pre>`).FindSubmatch(out)
			if m == nil {
				t.Fatal("the page did not load to its end")
			}
			var got struct {
				Width, Height, Plots int
				Sections             []string
				Problems             []string
			}
			if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
				t.Fatal(err)
			}
			for _, p := range got.Problems {
				t.Error(p)
			}
			if got.Width != width {
				t.Errorf("the window is %d wide, want %d", got.Width, width)
			}
			if want := strings.Count(page, "<svg"); got.Plots != want {
				t.Errorf("%d plots shown, %d in the file", got.Plots, want)
			}
			if s := strings.Join(got.Sections, " "); s != "changes index breakdown scaling history groups explained" && os.Getenv("REPORT_FILE") == "" {
				t.Errorf("sections: %s", s)
			}
			screenshot(t, browser, file, width, got.Height)
		})
	}
}

func framed(t *testing.T, file string, width, height int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frame.html")
	if err := os.WriteFile(path, fmt.Appendf(nil, frame, file, width, height), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, browser, file string, width, height int, flags ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"--user-data-dir=" + t.TempDir(), fmt.Sprintf("--window-size=%d,%d", width, height)}, flags...)
	cmd := exec.CommandContext(ctx, browser, append(append(args, browserFlags...), "file://"+file)...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("Chromium: %v", err)
	}
	return out
}

// screenshot takes a picture and checks that it was drawn. REPORT_SHOTS names a
// directory to keep the pictures in.
func screenshot(t *testing.T, browser, file string, width, height int) {
	t.Helper()
	dir := os.Getenv("REPORT_SHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	png := filepath.Join(dir, fmt.Sprintf("report-%d.png", width))
	height = min(height, 12000)
	run(t, browser, framed(t, file, width, height), width, height, "--virtual-time-budget=4000", "--screenshot="+png)
	info, err := os.Stat(png)
	if err != nil || info.Size() < 50_000 {
		t.Errorf("the picture is missing or nearly empty: %v", err)
	}
}
