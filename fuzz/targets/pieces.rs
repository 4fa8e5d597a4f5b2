//! A TREC run in a file that is cut into pieces, which several threads read.
#![no_main]

use _core::fuzzing::sizes;
use rankscale_fuzz::agree::{check, judged_runs, some_judged};
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::{Order, order_of, rankings};
use rankscale_fuzz::plain_trec::{self, Dialect};
use rankscale_fuzz::{plain_delimited, read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let (smallest, step) = (8 + draw.below(120), 16 + draw.below(100));
    let (text, order) = (draw.0, setting.order.unwrap_or(Order::Score));
    let look = plain_delimited::least_window(text).max(64).min(text.len().max(64));
    for (size, value) in [
        (&sizes::window, setting.window.max(look)),
        (&sizes::form_look, look),
        (&sizes::worth_cutting, look),
        (&sizes::smallest_piece, smallest),
        (&sizes::topic_step, step),
        (&sizes::marked, setting.marked),
    ] {
        size.store(value, Ordering::Relaxed);
    }
    let made = plain_trec::run(text, Some(order), Dialect::Own)
        .and_then(|(rows, _)| rankings(&rows, order_of(&rows, Some(order))?, setting.duplicates));
    let judged = made.as_ref().map(some_judged).unwrap_or_else(|_| [(b"1".to_vec(), [b"a".to_vec()].into())].into());
    let expected = made.map(|made| judged_runs(&made, &judged, setting.depth, false));
    let index = Arc::new(read::index_of(&judged));
    let options = read::options(&Setting { order: Some(order), ..setting.clone() }, Some("trec"));
    let path = read::scratch();
    std::fs::write(&path, text).unwrap();
    let mut tags = Vec::new();
    for threads in [1, 2, 3] {
        let core = read::judged_by_threads(&path, &index, &options, threads).map(|mut runs| {
            tags.extend(runs.values().map(|run| run.tags.clone()));
            runs.values_mut().for_each(|run| run.tags = Default::default());
            runs
        });
        check(&expected, &core, &format!("{threads} threads"));
    }
    assert!(tags.windows(2).all(|pair| pair[0] == pair[1]), "tags differ: {tags:?}");
    std::fs::remove_file(&path).unwrap();
});
