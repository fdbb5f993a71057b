//! Logistic regression with many classes, on vectors of which few parts are not 0. A sample may belong to several classes, or to
//! an unknown one of several: the libraries at hand take samples of one class, with all of their parts.

/// A text as a vector, and what it is said to be.
pub struct Sample {
    /// The numbers of its features, and how much it has of each.
    pub vector: Vec<(usize, f32)>,
    /// What it is said to be.
    pub classes: Classes,
    /// How much it counts.
    pub weight: f32,
}

/// What a sample is said to be.
pub enum Classes {
    /// As much the one as the others.
    Each(Vec<usize>),
    /// One of these, and nobody knows which.
    OneOf(Vec<usize>),
}

/// The weights of a regression.
pub struct Weights {
    /// Of each feature, the weight for each class.
    pub features: Vec<Vec<f32>>,
    /// Of each class, where it begins.
    pub start: Vec<f32>,
}

impl Weights {
    fn new(features: usize, classes: usize, value: f32) -> Self {
        Weights {
            features: vec![vec![value; classes]; features],
            start: vec![value; classes],
        }
    }
}

/// Rounds over all samples.
const ROUNDS: usize = 30;

/// How far the first step goes.
const STEP: f32 = 0.2;

/// The squares of the slopes before the first step, lest it be without end.
const NO_SLOPE: f32 = 1e-3;

/// The weights by which the samples are likeliest, with each weight at a price: what few texts show must not weigh much. The same
/// samples give the same weights.
pub fn fit(samples: &[Sample], features: usize, classes: usize, price: f32) -> Weights {
    let mut weights = Weights::new(features, classes, 0.0);
    let mut squares = Weights::new(features, classes, NO_SLOPE);
    let mut holders = vec![0.0_f32; features];
    for (feature, _) in samples.iter().flat_map(|sample| &sample.vector) {
        holders[*feature] += 1.0;
    }
    let mut order = Order(1);
    let mut numbers: Vec<usize> = (0..samples.len()).collect();
    for _ in 0..ROUNDS {
        order.shuffle(&mut numbers);
        for number in &numbers {
            let sample = &samples[*number];
            let errors = errors(&weights, sample);
            for (feature, share) in &sample.vector {
                let price = price / holders[*feature];
                let weights = weights.features[*feature].iter_mut();
                let squares = squares.features[*feature].iter_mut();
                for ((weight, squares), error) in weights.zip(squares).zip(&errors) {
                    descend(weight, squares, error * share + price * *weight);
                }
            }
            let starts = weights.start.iter_mut().zip(&mut squares.start);
            for ((start, squares), error) in starts.zip(&errors) {
                descend(start, squares, *error);
            }
        }
    }
    weights
}

/// By how much too likely each class of a sample is.
fn errors(weights: &Weights, sample: &Sample) -> Vec<f32> {
    let mut shares = weights.start.clone();
    for (feature, share) in &sample.vector {
        for (sum, weight) in shares.iter_mut().zip(&weights.features[*feature]) {
            *sum += share * weight;
        }
    }
    to_shares(&mut shares);
    let mut wanted = vec![0.0; shares.len()];
    match &sample.classes {
        Classes::Each(classes) => {
            #[allow(clippy::cast_precision_loss, reason = "a text has few classes")]
            let count = classes.len() as f32;
            for class in classes {
                wanted[*class] = 1.0 / count;
            }
        }
        Classes::OneOf(classes) => {
            let all: f32 = classes.iter().map(|class| shares[*class]).sum();
            let all = all.max(f32::MIN_POSITIVE);
            for class in classes {
                wanted[*class] = shares[*class] / all;
            }
        }
    }
    for (share, wanted) in shares.iter_mut().zip(wanted) {
        *share = sample.weight * (*share - wanted);
    }
    shares
}

/// A step down, the shorter the more the slopes were before (`AdaGrad`).
fn descend(weight: &mut f32, squares: &mut f32, slope: f32) {
    *squares += slope * slope;
    *weight -= STEP * slope / squares.sqrt();
}

/// Turns sums into shares of 1, each as large as the exponential of its sum.
pub fn to_shares(sums: &mut [f32]) {
    let most = sums.iter().copied().fold(f32::MIN, f32::max);
    for sum in &mut *sums {
        *sum = (*sum - most).exp();
    }
    let all: f32 = sums.iter().sum();
    for share in sums {
        *share /= all;
    }
}

/// An order that is not that of the samples, and the same each time (xorshift).
struct Order(u64);

impl Order {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn shuffle(&mut self, numbers: &mut [usize]) {
        for end in (1..numbers.len()).rev() {
            #[allow(clippy::cast_possible_truncation, reason = "it is at most `end`")]
            let other = (self.next() % (end as u64 + 1)) as usize;
            numbers.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(feature: usize, classes: Classes) -> Sample {
        Sample {
            vector: vec![(feature, 1.0)],
            classes,
            weight: 1.0,
        }
    }

    /// The shares of the classes of a text that has one feature.
    fn shares(weights: &Weights, feature: usize) -> Vec<f32> {
        let sums = weights.start.iter().zip(&weights.features[feature]);
        let mut shares: Vec<f32> = sums.map(|(start, weight)| start + weight).collect();
        to_shares(&mut shares);
        shares
    }

    #[test]
    fn features_are_told_apart() {
        let samples = [0, 1, 0, 1, 0, 1].map(|class| sample(class, Classes::Each(vec![class])));
        let weights = fit(&samples, 2, 2, 0.1);
        assert!(shares(&weights, 0)[0] > 0.8);
        assert!(shares(&weights, 1)[1] > 0.8);
    }

    #[test]
    fn several_classes_share_and_one_of_several_is_found() {
        let samples = [
            sample(0, Classes::Each(vec![0, 1])),
            sample(1, Classes::OneOf(vec![1, 2])),
            sample(1, Classes::Each(vec![2])),
        ];
        let weights = fit(&samples, 2, 3, 0.01);
        let of_both = shares(&weights, 0);
        assert!(
            (of_both[0] - of_both[1]).abs() < 0.3 && of_both[2] < 0.2,
            "{of_both:?}"
        );
        assert!(shares(&weights, 1)[2] > 0.6);
    }

    #[test]
    fn a_price_keeps_weights_small() {
        let samples = [0, 1].map(|class| sample(class, Classes::Each(vec![class])));
        let dear = fit(&samples, 2, 2, 10.0);
        let cheap = fit(&samples, 2, 2, 0.01);
        assert!(dear.features[0][0] < cheap.features[0][0]);
    }
}
