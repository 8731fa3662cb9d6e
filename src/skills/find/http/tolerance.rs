//! How long a server may take, and how often it is asked again.

use std::time::Duration;

use crate::skills::model::environment::Environment;

/// Shortens every wait to this many milliseconds, in builds for tests alone.
const TEST_VARIABLE: &str = "SKILLS_TEST_PATIENCE_MS";

/// How long a server may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerance {
    /// Until there is a connection.
    pub(super) connect: Duration,
    /// Until the answer begins.
    pub(super) answer: Duration,
    /// Between two parts of a body.
    pub(super) silence: Duration,
    /// In each span of this length, a body must grow by [`Self::least_bytes`].
    pub(super) span: Duration,
    pub(super) least_bytes: u64,
    /// For a whole body.
    pub(super) total: Duration,
    /// Before the second attempt; twice as long before each further one.
    pub(super) pause: Duration,
    /// The longest pause that a server may ask for.
    pub(super) longest_pause: Duration,
    /// How often a request is sent, at most.
    pub(super) attempts: u32,
}

impl Tolerance {
    pub(super) fn new(environment: &Environment) -> Self {
        let usual = Self {
            connect: Duration::from_secs(15),
            answer: Duration::from_secs(60),
            silence: Duration::from_secs(30),
            span: Duration::from_secs(30),
            least_bytes: 30 * 1024,
            total: Duration::from_secs(60 * 60),
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            attempts: 4,
        };
        let shortened = environment.variable(TEST_VARIABLE).filter(|_| cfg!(debug_assertions));
        let shortened = shortened.and_then(|value| value.to_str()?.parse().ok());
        shortened.map_or(usual, |milliseconds| {
            let short = Duration::from_millis(milliseconds);
            Self {
                connect: short,
                answer: short * 2,
                silence: short,
                span: short,
                pause: short / 20,
                longest_pause: short,
                ..usual
            }
        })
    }

    /// The pause before another attempt, which is the number `attempt` from 1 on; none when there
    /// should be no more. `asked` is what the server asked for.
    pub(super) fn pause(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let own = self.pause * 2_u32.saturating_pow(attempt - 1);
        match asked {
            Some(asked) if asked > self.longest_pause => None,
            Some(asked) => Some(asked.max(own)),
            None => Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let tolerance = Tolerance::new(&Environment::default());
        let seconds = |attempt, asked: Option<u64>| {
            let pause = tolerance.pause(attempt, asked.map(Duration::from_secs));
            pause.map(|pause| pause.as_secs_f32())
        };
        assert_eq!(
            [1, 2, 3, 4].map(|attempt| seconds(attempt, None)),
            [Some(0.5), Some(1.0), Some(2.0), None]
        );
        assert_eq!(seconds(1, Some(7)), Some(7.0));
        assert_eq!(seconds(3, Some(0)), Some(2.0));
        assert_eq!(seconds(1, Some(61)), None);
    }
}
