//! Counting the sums of two sorted lists: the kernel under exact ranks on interval scales.
//!
//! Lists hold values as whole numbers of a tiny unit, so sums carry a rounding error of a few units. What lies further
//! from a target than that margin is counted; what lies within it is reported, and Python decides it exactly.

/// Keys, targets and margins are smaller than this in size, and so no sum of them overflows.
pub const LARGEST: i64 = 1 << 60;

const SCANNED: usize = 8; // a bucket with more keys than this is searched, not scanned

/// How many sums lie certainly below a target, and how many within the margin around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub below: u128,
    pub near: u128,
}

/// One of two lists whose sums are counted: ascending keys, each standing for one or for several rankings.
#[derive(Clone, Copy)]
pub struct List<'a> {
    keys: &'a [i64],
    cumulated: Option<&'a [u64]>, // how many the first i keys stand for, from i = 0 to all; one each where absent
}

impl<'a> List<'a> {
    /// None where keys do not ascend or are too large, or weights do not fit them.
    pub fn new(keys: &'a [i64], cumulated: Option<&'a [u64]>) -> Option<List<'a>> {
        let sound = keys.is_sorted() && keys.iter().all(|key| key.unsigned_abs() < LARGEST.unsigned_abs());
        let fits = cumulated.is_none_or(|sums| sums.len() == keys.len() + 1 && sums.is_sorted());
        (sound && fits).then_some(List { keys, cumulated })
    }

    fn first(&self, count: usize) -> u128 {
        self.cumulated.map_or(count as u128, |cumulated| u128::from(cumulated[count]))
    }

    fn weight(&self, place: usize) -> u128 {
        self.first(place + 1) - self.first(place)
    }
}

/// Where keys start in a list, by their leading bits: keys are spread out enough for a search to end there.
struct Places<'a> {
    keys: &'a [i64],
    least: i64,
    shift: u32,
    starts: Vec<u32>, // by bucket, and the end of the last one
}

impl<'a> Places<'a> {
    /// For lists of up to 2^32 keys.
    fn new(keys: &'a [i64]) -> Self {
        let (least, greatest) = (keys.first().copied().unwrap_or(0), keys.last().copied().unwrap_or(0));
        let (spread, wanted) = ((greatest - least) as u64, keys.len().max(2).ilog2());
        let shift = (u64::BITS - spread.leading_zeros()).saturating_sub(wanted);
        let mut starts = vec![0u32; (spread >> shift) as usize + 2];
        for &key in keys {
            starts[((key - least) as u64 >> shift) as usize + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        Places { keys, least, shift, starts }
    }

    /// How many keys lie below a number.
    fn below(&self, number: i64) -> usize {
        if number <= self.least {
            return 0;
        }
        let bucket = ((number - self.least) as u64 >> self.shift) as usize;
        if bucket + 1 >= self.starts.len() {
            return self.keys.len();
        }
        let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        let bucket = &self.keys[start..end];
        if bucket.len() > SCANNED {
            return start + bucket.partition_point(|&key| key < number);
        }
        start + bucket.iter().map(|&key| usize::from(key < number)).sum::<usize>()
    }
}

/// Sums a + b below and near each target.
pub fn sums_below(a: List, b: List, targets: &[i64], margin: i64) -> Vec<Counted> {
    let (few, many) = if a.keys.len() <= b.keys.len() { (a, b) } else { (b, a) };
    let places = Places::new(many.keys);
    targets.iter().map(|&target| count(few, many, &places, target - margin, target + margin)).collect()
}

fn count(few: List, many: List, places: &Places, low: i64, high: i64) -> Counted {
    let Some(&least) = many.keys.first() else { return Counted::default() };
    let mut counted = Counted::default();
    let reach = few.keys.partition_point(|key| key + least <= high); // greater keys leave no room for any other
    if few.cumulated.is_none() && many.cumulated.is_none() {
        let (mut below, mut near) = (0u64, 0u64); // a loop of its own: weights would make it half as fast
        for key in &few.keys[..reach] {
            let certain = places.below(low - key);
            below += certain as u64;
            near += near_ones(&many.keys[certain..], high - key) as u64;
        }
        return Counted { below: below.into(), near: near.into() };
    }
    for (place, key) in few.keys[..reach].iter().enumerate() {
        let certain = places.below(low - key);
        let near = near_ones(&many.keys[certain..], high - key);
        let (weight, below) = (few.weight(place), many.first(certain));
        counted.below += weight * below;
        counted.near += weight * (many.first(certain + near) - below);
    }
    counted
}

/// How many keys, from the first on, do not exceed a number; hardly ever any.
fn near_ones(keys: &[i64], number: i64) -> usize {
    match keys.first() {
        Some(&key) if key <= number => keys.partition_point(|&key| key <= number),
        _ => 0,
    }
}

/// Places (in a, in b) of the sums within the margin around a target, at most `limit` of them; None where they do not fit
/// into memory.
pub fn sums_near(a: &[i64], b: &[i64], target: i64, margin: i64, limit: usize) -> Option<Vec<[u64; 2]>> {
    let mut found = Vec::new();
    for (place, key) in a.iter().enumerate() {
        let first = b.partition_point(|&other| other < target - key - margin);
        for (other, &near) in b.iter().enumerate().skip(first) {
            if near > target - key + margin || found.len() == limit {
                break;
            }
            found.try_reserve(1).ok()?;
            found.push([place as u64, other as u64]);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(keys: &[i64]) -> List<'_> {
        List::new(keys, None).unwrap()
    }

    fn slow(a: &[i64], b: &[i64], target: i64, margin: i64) -> Counted {
        let sums: Vec<i64> = a.iter().flat_map(|x| b.iter().map(move |y| x + y)).collect();
        Counted {
            below: sums.iter().filter(|&&sum| sum < target - margin).count() as u128,
            near: sums.iter().filter(|&&sum| (sum - target).abs() <= margin).count() as u128,
        }
    }

    #[test]
    fn counts_agree_with_all_sums() {
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as i64
        };
        for (few, many) in [(0, 5), (1, 1), (3, 4), (3, 900), (60, 70)] {
            let mut a: Vec<i64> = (0..few).map(|_| draw(500)).collect();
            let mut b: Vec<i64> = (0..many).map(|_| draw(500)).collect();
            a.sort_unstable();
            b.sort_unstable();
            for target in [-5, 0, 37, 250, 499, 998, 2000] {
                for margin in [0, 3] {
                    let expected = slow(&a, &b, target, margin);
                    assert_eq!(sums_below(plain(&a), plain(&b), &[target], margin), [expected]);
                    assert_eq!(sums_below(plain(&b), plain(&a), &[target], margin), [expected]);
                    assert_eq!(sums_near(&a, &b, target, margin, usize::MAX).unwrap().len() as u128, expected.near);
                }
            }
        }
    }

    #[test]
    fn keys_count_for_as_many_as_they_stand_for() {
        let a = List::new(&[0, 2], Some(&[0, 3, 4])).unwrap(); // 0 three times, 2 once
        let b = List::new(&[1, 5], Some(&[0, 2, 7])).unwrap(); // 1 twice, 5 five times
        // Sums: 1 (6 of them), 3 (2), 5 (15), 7 (5).
        assert_eq!(sums_below(a, b, &[5], 0), [Counted { below: 8, near: 15 }]);
    }

    #[test]
    fn no_more_than_the_limit_is_reported() {
        assert_eq!(sums_near(&[0, 0], &[1, 1], 1, 0, 3), Some(vec![[0, 0], [0, 1], [1, 0]]));
    }
}
