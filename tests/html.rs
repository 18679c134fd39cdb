//! The page, in a real browser, from a file.

mod browser;
mod hand_made;
mod long_history;

use browser::{Page, browser_or_skip};
use checker::finding::Verdict;
use fencepost::report::Subject;
use fencepost::report::html::page;
use hand_made::{clock_stolen, crash_holding, gc_pause, gc_pause_fenced, nothing};
use long_history::{PAUSED_AT, long_history};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// A page in a file.
fn written(subject: &Subject) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    std::fs::write(&file, page(subject)).expect("written");
    (folder, file)
}

fn number(value: Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Where something stands on the screen: `(x, y)` of a time on the lane of a client.
fn place(page: &mut Page, client: &str, at: &str, band: &str) -> (f64, f64) {
    let place = page.eval(&format!("fencepost.placeOf({client:?}, {at}, {band:?})"));
    (number(place[0].clone()), number(place[1].clone()))
}

#[test]
fn it_opens_from_a_file_without_complaint_or_request() {
    let mut browser = browser_or_skip!();
    let mut empty = nothing();
    (empty.events, empty.judgement.verdict) = (vec![], Verdict::Nothing);
    for subject in [gc_pause(), gc_pause_fenced(), clock_stolen(), nothing(), empty] {
        let (_folder, file) = written(&subject);
        let mut page = browser.page(1280, 800);
        page.prefers("light");
        page.open(&file, "");
        assert_eq!(page.eval("fencepost.frame.count > 0"), true);
        for (i, key) in ["n", "n", "p", "+", "-", ".", ",", "z", "0", "?", "Escape", "t", "/"].into_iter().enumerate() {
            page.press(key);
            assert_eq!(page.complaints(), Vec::<String>::new(), "{}, key {i}, {key}", subject.header.name);
        }
    }
}

#[test]
fn a_link_keeps_the_view() {
    let mut browser = browser_or_skip!();
    let (_folder, file) = written(&clock_stolen());
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    page.press("n");
    page.press("n");
    page.press("+");
    page.press(".");
    page.click_on("#search");
    page.write("acquire c3");
    page.until("fencepost.view.query === 'acquire c3'");
    page.eval("document.querySelector('#filter-client summary').click()");
    page.click_on("#filter-client label:nth-of-type(2) input");
    page.until("location.hash.includes('no-client=c2') && location.hash.includes('q=')");
    let state = "JSON.stringify([Math.round(fencepost.view.from), Math.round(fencepost.view.until), fencepost.view.pin, fencepost.view.finding, \
                 fencepost.view.query, fencepost.lanes.map(lane => lane.client), fencepost.matches.length])";
    let (kept, hash) = (page.eval(state), page.eval("location.hash"));
    page.open(&file, hash.as_str().expect("a hash"));
    assert_eq!(page.eval(state), kept);
    assert_eq!(page.eval("document.querySelector('#search').value"), "acquire c3");

    for mangled in
        ["#from=9&until=1", "#op=77777&violation=99&fault=-1", "#%%%&q=%E0%A4%A&no-client=%", "#=&&=", "#from=-1e400&until=1e400"]
    {
        page.open(&file, mangled);
        assert_eq!(page.eval("fencepost.view.from < fencepost.view.until"), true, "{mangled}");
    }
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn it_goes_from_violation_to_violation() {
    let mut browser = browser_or_skip!();
    let subject = clock_stolen();
    let (_folder, file) = written(&subject);
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    let here = "document.querySelector('#which').textContent";
    let inside = "(() => { const f = fencepost.data.findings[fencepost.view.finding]; return fencepost.view.from <= f.from && f.from <= fencepost.view.until; })()";
    page.press("0");
    assert_eq!(page.eval("fencepost.view.until - fencepost.view.from === fencepost.whole.until - fencepost.whole.from"), true);
    page.click_on("#first");
    assert_eq!(page.eval(here), "1 of 10");
    assert_eq!(page.eval(inside), true);
    for expected in ["2 of 10", "3 of 10"] {
        page.press("n");
        assert_eq!(page.eval(here), expected);
        assert_eq!(page.eval(inside), true);
    }
    page.press("p");
    assert_eq!(page.eval(here), "2 of 10");
    page.click_on("#previous");
    page.click_on("#previous");
    assert_eq!(page.eval(here), "10 of 10", "it goes round");
    page.click_on("[data-finding='4']");
    assert_eq!(page.eval(here), "5 of 10");
    let current = "document.querySelector('[aria-current=true]').dataset.finding";
    assert_eq!(page.eval(current), "4");
    // The harm is drawn where it is: the strip above the lanes is red there, and nowhere before.
    let red = "(() => { const c = document.querySelector('#diagram'); const d = c.getContext('2d').getImageData(0, 32, c.width, 1).data; \
               let n = 0; for (let i = 120 * 4; i < d.length; i += 4) if (d[i] > 150 && d[i + 1] < 140 && d[i + 2] < 140) n++; return n; })()";
    assert!(number(page.eval(red)) > 50.0);
    page.eval("fencepost.show(fencepost.whole.from, fencepost.whole.from + 50e6)");
    page.settled();
    assert_eq!(page.eval(red), 0.0);
}

#[test]
fn filters_hide_and_search_finds() {
    let mut browser = browser_or_skip!();
    let (_folder, file) = written(&gc_pause());
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    let shown = "fencepost.lanes.reduce((sum, lane) => sum + lane.ops.length, 0)";
    let all = number(page.eval(shown));
    page.eval("document.querySelector('#filter-mark summary').click()");
    page.until("document.querySelector('#filter-mark .menu label')");
    page.eval("[...document.querySelectorAll('#filter-mark label')].find(l => l.textContent.startsWith('refused')).querySelector('input').click()");
    page.settled();
    let refused = number(page.eval("fencepost.ops.mark.filter(mark => fencepost.data.marks[mark] === 'refused').length"));
    assert!(refused > 40.0);
    assert_eq!(number(page.eval(shown)), all - refused);
    page.eval("[...document.querySelectorAll('#filter-client .only')].length");
    page.eval("document.querySelector('#filter-client summary').click()");
    page.until("document.querySelector('#filter-client .only')");
    page.eval("document.querySelector('[aria-label=\"only c2\"]').click()");
    page.settled();
    assert_eq!(page.eval("fencepost.lanes.map(lane => fencepost.data.clients[lane.client]).join()"), "c2");
    assert_eq!(page.eval("document.querySelector('#filter-client summary').textContent"), "Clients 1/2");
    page.eval("document.querySelector('#filter-client .all button').click()");
    page.eval("document.querySelector('#filter-mark .all button').click()");
    page.settled();
    assert_eq!(number(page.eval(shown)), all);

    page.press("Escape");
    page.press("/");
    page.write("write 1001");
    page.until("document.querySelector('#matches').textContent === '1 found'");
    page.press("Enter");
    page.until("document.querySelector('#matches').textContent === '1 of 1'");
    assert_eq!(page.eval("document.querySelector('#details h3').textContent"), "c1 · write res1: the harm");
    assert_eq!(page.eval("document.querySelector('#details .blame').textContent.startsWith('stale-holder')"), true);
    page.eval("document.querySelector('#search').select()");
    page.write("no such thing");
    page.until("document.querySelector('#matches').textContent === 'no match'");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn the_pointer_zooms_pans_tells_and_pins() {
    let mut browser = browser_or_skip!();
    let (_folder, file) = written(&gc_pause_fenced());
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "#from=-10000000&until=540000000");
    let span = "fencepost.view.until - fencepost.view.from";
    let (before, middle) = (number(page.eval(span)), "fencepost.view.from + (fencepost.view.until - fencepost.view.from) / 2");
    let (x, y) = place(&mut page, "c1", "400e6", "op");
    page.mouse("mouseMoved", x, y, 0.0);
    page.mouse("mouseWheel", x, y, -400.0);
    page.settled();
    let after = number(page.eval(span));
    assert!(after < before * 0.6, "{before} to {after}");
    let (still, _) = place(&mut page, "c1", "400e6", "op");
    assert!((still - x).abs() < 1.5, "what is under the pointer stays there: {x}, {still}");

    let from = number(page.eval(middle));
    page.mouse("mousePressed", x, y, 0.0);
    page.mouse("mouseMoved", x - 100.0, y, 0.0);
    page.mouse("mouseReleased", x - 100.0, y, 0.0);
    page.settled();
    assert!(number(page.eval(middle)) > from, "dragged to the left, time goes on");
    let (dragged, _) = place(&mut page, "c1", "400e6", "op");
    assert!((dragged - (x - 100.0)).abs() < 1.5, "{dragged}");
    assert_eq!(page.eval("fencepost.view.pin"), Value::Null, "a drag is no click");

    page.eval("fencepost.show(495e6, 530e6)");
    page.settled();
    let refused =
        "fencepost.ops.from[fencepost.ops.mark.findIndex(mark => fencepost.data.marks[mark] === 'stale write refused')] + 5e5";
    let (x, y) = place(&mut page, "c1", refused, "op");
    page.mouse("mouseMoved", x, y, 0.0);
    page.settled();
    assert_eq!(page.eval("document.querySelector('#tip').hidden"), false);
    let tip = page.eval("document.querySelector('#tip').textContent");
    let tip = tip.as_str().expect("text");
    assert!(tip.starts_with("c1 · write res1: stale write refused") && tip.contains("outranked byfence 34"), "{tip}");
    page.click(x, y);
    let details = page.eval("document.querySelector('#details').textContent");
    let details = details.as_str().expect("text");
    for part in [
        "fail: it had no effect",
        "fence33",
        "outranked byfence 34",
        "computed from0",
        "under the same grant:",
        "acquire at 0.001 s",
    ] {
        assert!(details.contains(part), "{part}: {details}");
    }
    let (x, y) = place(&mut page, "c2", "515e6", "lease");
    page.mouse("mouseMoved", x, y, 0.0);
    page.settled();
    let tip = page.eval("document.querySelector('#tip').textContent");
    assert!(tip.as_str().is_some_and(|tip| tip.starts_with("c2 holds lock1") && tip.contains("TTL ends")), "{tip}");
    page.press("Escape");
    assert_eq!(page.eval("fencepost.view.pin"), Value::Null);

    let span_before = number(page.eval(span));
    page.touch("touchStart", &[(500.0, y), (600.0, y)]);
    page.touch("touchMove", &[(400.0, y), (700.0, y)]);
    page.touch("touchEnd", &[]);
    page.settled();
    let ratio = span_before / number(page.eval(span));
    assert!((2.5..3.5).contains(&ratio), "two fingers three times as far apart show a third of the time: {ratio}");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// The contrast of two colours as WCAG 2 defines it.
const CONTRAST: &str = "((a, b) => { const light = name => { const probe = document.body.appendChild(document.createElement('i')); \
    probe.style.color = `var(--${name})`; const rgb = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(c => c / 255) \
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); probe.remove(); \
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]; }; \
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x); return (high + 0.05) / (low + 0.05); })";

#[test]
fn dark_and_light_as_the_system_has_it_until_told_otherwise() {
    let mut browser = browser_or_skip!();
    let (_folder, file) = written(&gc_pause());
    let mut page = browser.page(1280, 800);
    let background = "getComputedStyle(document.body).backgroundColor";
    // One pixel of a lane without anything in it.
    let lane = "(() => { const c = document.querySelector('#diagram'); return c.getContext('2d').getImageData(c.width - 3, c.height - 6, 1, 1).data[0]; })()";
    page.prefers("dark");
    page.open(&file, "");
    assert_eq!(page.eval(background), "rgb(15, 18, 22)");
    assert!(number(page.eval(lane)) < 60.0);
    page.prefers("light");
    page.until("document.documentElement.dataset.theme === 'light'");
    page.settled();
    assert_eq!(page.eval(background), "rgb(246, 247, 249)");
    assert!(number(page.eval(lane)) > 200.0);
    for theme in ["dark", "light"] {
        page.click_on("#theme");
        assert_eq!(page.eval("document.documentElement.dataset.theme"), theme);
        for (text, behind, least) in [
            ("text", "panel", 7.0),
            ("text", "band", 7.0),
            ("dim", "panel", 4.5),
            ("dim", "page", 4.5),
            ("harm", "panel", 4.5),
            ("harm", "band", 4.5),
            ("guard", "panel", 4.5),
            ("doubt", "panel", 4.5),
            ("fault", "panel", 4.5),
            ("on-harm", "harm", 4.5),
            ("on-guard", "guard", 4.5),
            ("on-doubt", "doubt", 4.5),
            ("panel", "acquire", 4.5),
            ("panel", "write", 4.5),
            ("focus", "panel", 3.0),
            ("edge", "panel", 3.0),
            ("read", "panel", 3.0),
        ] {
            let contrast = number(page.eval(&format!("{CONTRAST}({text:?}, {behind:?})")));
            assert!(contrast >= least, "{theme}: {text} on {behind} is {contrast:.2}");
        }
    }
    page.press("t");
    assert_eq!(page.eval("document.documentElement.dataset.theme"), "dark");
    page.prefers("light");
    page.open(&file, "#");
    assert_eq!(page.eval("document.documentElement.dataset.theme"), "dark", "it remembers");
}

#[test]
fn the_keyboard_reaches_everything_and_is_told_what_it_reached() {
    let mut browser = browser_or_skip!();
    let (_folder, file) = written(&gc_pause());
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    page.press("?");
    assert_eq!(page.eval("document.querySelector('#help').open"), true);
    page.eval("document.querySelector('#help').close()");
    page.press("n");
    assert_eq!(page.eval("document.querySelector('#said').textContent.startsWith('stale-')"), true);
    page.press(".");
    let first = page.eval("document.querySelector('#said').textContent");
    page.press(".");
    assert_ne!(page.eval("document.querySelector('#said').textContent"), first);
    page.eval("document.querySelector('#scroller').focus()");
    let from = number(page.eval("fencepost.view.from"));
    page.press("+");
    page.press("ArrowRight");
    assert!(number(page.eval("fencepost.view.from")) > from);
    let unnamed = "[...document.querySelectorAll('button, input, summary, [tabindex=\"0\"]')].filter(e => !(e.textContent.trim() || e.ariaLabel)).length";
    assert_eq!(page.eval(unnamed), 0.0);
    let ids = "[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap(e => [e.getAttribute('aria-labelledby'), \
               e.getAttribute('aria-describedby')]).filter(id => id && !document.getElementById(id)).length";
    assert_eq!(page.eval(ids), 0.0);
}

#[test]
fn names_that_look_like_markup_stay_text() {
    let mut browser = browser_or_skip!();
    let mut subject = gc_pause();
    let evil = "</script><img src=x onerror=alert(1)>\u{2028}\"'&amp;";
    let text = serde_json::to_string(&subject.judgement).expect("JSON");
    subject.judgement = serde_json::from_str(&text.replace("lock1", &evil.replace('"', "\\\""))).expect("a judgement");
    for event in &mut subject.events {
        if let checker::history::What::Invoke { op: checker::history::Op::Acquire { lock, .. }, .. } = &mut event.what {
            *lock = evil.into();
        }
    }
    subject.header.name = evil.into();
    subject.replay = format!("fencepost check {evil}");
    let (_folder, file) = written(&subject);
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    assert_eq!(page.eval("document.images.length"), 0.0);
    assert_eq!(page.eval("fencepost.data.names[0]"), evil);
    assert_eq!(page.eval("document.querySelector('pre').textContent"), subject.replay.as_str());
    page.press(".");
    assert_eq!(page.eval("document.images.length"), 0.0);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// Milliseconds after which it hangs rather than works: the real figures are printed, and a busy machine is not to fail for them.
const FIRST_PAINT: f64 = 60_000.0;
const FRAME: f64 = 2_000.0;

#[test]
fn a_hundred_thousand_operations_stay_usable() {
    let mut browser = browser_or_skip!();
    let subject = long_history(100_000);
    let (_folder, file) = written(&subject);
    let mut page = browser.page(1280, 800);
    page.prefers("light");
    page.open(&file, "");
    assert!(number(page.eval("fencepost.ops.count")) >= 99_000.0);
    let paint = number(page.eval("performance.getEntriesByName('first-paint-of-diagram')[0].startTime"));
    page.picture("long-violation");
    page.press("0");
    page.picture("long-whole");
    // Frames while panning and zooming, at every depth.
    let frames = "new Promise(done => { const times = []; let step = 0; const next = () => { const depth = Math.floor(step / 10); \
        const span = (fencepost.whole.until - fencepost.whole.from) / 3 ** depth; const from = fencepost.whole.from + span * 0.05 * (step % 10); \
        fencepost.show(from, from + span); const start = performance.now(); \
        requestAnimationFrame(() => requestAnimationFrame(() => { times.push([fencepost.frame.last, performance.now() - start]); \
        if (++step < 110) next(); else done(times); })); }; next(); })";
    let frames = page.eval(frames);
    let mut drawing: Vec<f64> = frames.as_array().expect("frames").iter().map(|frame| number(frame[0].clone())).collect();
    drawing.sort_by(f64::total_cmp);
    let (median, worst) = (drawing[drawing.len() / 2], drawing[drawing.len() - 1]);
    eprintln!("100,000 operations: first paint after {paint:.0} ms; a frame takes {median:.1} ms, at worst {worst:.1} ms");
    assert!(paint < FIRST_PAINT, "first paint after {paint} ms");
    assert!(median < FRAME, "a frame takes {median} ms");

    page.press("n");
    let (from, until) = (number(page.eval("fencepost.view.from")), number(page.eval("fencepost.view.until")));
    let whole = number(page.eval("fencepost.whole.until"));
    assert!(until - from < whole / 20.0, "the violation fills the view");
    assert!(from / whole > PAUSED_AT - 0.05 && from / whole < PAUSED_AT + 0.05, "{}", from / whole);
    let there = "fencepost.lanes.slice(0, 2).every(lane => fencepost.data.findings[fencepost.view.finding].clients.includes(lane.client))";
    assert_eq!(page.eval(there), true, "its clients are at the top");
    page.press("/");
    page.write("c7 write");
    page.until("document.querySelector('#matches').textContent.endsWith(' found')");
    assert!(number(page.eval("fencepost.matches.length")) > 100.0);
    page.picture("long-search");
    page.prefers("dark");
    page.open(&file, "");
    page.picture("long-violation-dark");
    page.press("0");
    page.picture("long-whole-dark");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// For whoever wants to look: `FENCEPOST_SHOTS=folder cargo test --test html pictures`.
#[test]
fn pictures_are_not_empty() {
    let mut browser = browser_or_skip!();
    let colours = "(() => { const c = document.querySelector('#diagram'); \
                   return new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size; })()";
    for (name, subject) in
        [("gc-pause", gc_pause()), ("fenced", gc_pause_fenced()), ("stolen", clock_stolen()), ("crash", crash_holding())]
    {
        let (_folder, file) = written(&subject);
        for (width, height) in [(1280, 800), (400, 800)] {
            let mut page = browser.page(width, height);
            for scheme in ["light", "dark"] {
                page.prefers(scheme);
                page.open(&file, "");
                assert!(number(page.eval(colours)) > 12.0, "{name} at {width}, {scheme}");
                assert_eq!(
                    page.eval("document.documentElement.scrollWidth <= innerWidth"),
                    true,
                    "{name} at {width}: nothing sticks out"
                );
                page.picture(&format!("{name}-{width}-{scheme}"));
            }
        }
    }
}

#[test]
fn every_cell_of_a_matrix_leads_to_the_report_of_its_run() {
    let mut browser = browser_or_skip!();
    let home = tempfile::tempdir().expect("a folder");
    let mut matrix = std::process::Command::new(env!("CARGO_BIN_EXE_fencepost"));
    matrix.args(["matrix", "--world", "sim", "--filter", "name(gc-pause) | name(crash-holding)"]).current_dir(home.path());
    assert!(matrix.output().expect("it starts").status.success());
    let night = std::fs::read_dir(home.path().join("runs")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let night = night.into_iter().find(|path| path.join("matrix.html").is_file()).expect("a matrix");
    for scheme in ["light", "dark"] {
        let mut page = browser.page(1280, 800);
        page.prefers(scheme);
        page.open(&night.join("matrix.html"), "");
        page.picture(&format!("matrix-{scheme}"));
        assert_eq!(page.eval("document.querySelectorAll('a.chip').length"), 2);
        let report = page.eval("document.querySelector('a.chip[href*=gc-pause]').getAttribute('href')");
        assert_eq!(page.complaints(), Vec::<String>::new());
        page.open(&night.join(report.as_str().expect("a link")), "");
        assert_eq!(page.eval("fencepost.frame.count > 0"), true);
        assert_eq!(page.complaints(), Vec::<String>::new());
    }
}
