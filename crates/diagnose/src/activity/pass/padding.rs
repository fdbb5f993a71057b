//! Indexes that a graph writes through, of which a smaller batch has replaced the first only.

use cgsan_trace::{Argument, TensorRecord};
use rustc_hash::FxHashMap;

use super::Pass;
use super::added_rows::{Added, added_through};
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;
use crate::activity::operation::{Operation, tensors};

/// PyTorch's numbers for the dtypes of an index: `int32` and `int64`.
const INDEXES: [u8; 2] = [3, 4];

/// Pieces kept of one tensor: one that is written row by row holds no batches.
const PIECES: usize = 64;

/// The first byte of a piece of memory, and the first one behind it.
pub(super) type Span = (u64, u64);

/// Where something lies in a tensor from outside of a capture.
pub(super) type Source = (BlockId, Span);

/// What is known of tensors that graphs write through.
#[derive(Debug, Default)]
pub(super) struct Padding {
    /// The indexes that each graph writes through, of tensors that its capture did not make.
    indexes: FxHashMap<usize, Vec<Index>>,
    /// Indexes that a running capture computed one by one from others: by where the result begins, where those lie.
    computed: FxHashMap<u64, (BlockId, Span)>,
    /// What lies in the tensors that some graph writes through, in the order of their addresses.
    parts: FxHashMap<BlockId, Vec<Part>>,
}

/// What a captured operator writes through.
#[derive(Clone, Debug)]
struct Index {
    /// Where its indexes lie.
    sources: Vec<(BlockId, Span)>,
    /// What it writes.
    into: BlockId,
    /// The operator.
    operation: usize,
    /// Where it adds: what.
    adds: Option<Added>,
}

/// Bytes that an eager operator wrote last.
#[derive(Clone, Copy, Debug)]
struct Part {
    span: Span,
    /// All that the operator wrote.
    written: Span,
    /// The operator.
    operation: usize,
    /// How many replays there were before it.
    replays: usize,
}

impl Padding {
    /// Has what eager operators leave in a block kept.
    pub(super) fn keep(&mut self, block: BlockId) {
        self.parts.entry(block).or_default();
    }
}

impl Pass<'_, '_> {
    /// Operators were counted, and not recorded one by one.
    pub(super) fn padding_unknown(&mut self) {
        for parts in self.padding.parts.values_mut() {
            parts.clear();
        }
    }

    /// A captured operator has ended: what it writes through, if it does.
    pub(super) fn captured_index(&mut self, graph: usize, index: usize) {
        let operation = &self.activity.operations[index];
        let memory = &self.activity.memory;
        let source = |tensor: &TensorRecord| {
            let span = span_of(tensor)?;
            let computed = self.padding.computed.get(&span.0).copied();
            computed.or_else(|| {
                let block = memory.at(tensor.address)?;
                (memory[block].capture != Some(graph)).then_some((block, span))
            })
        };
        if let Some((from, to)) = computed_one_by_one(operation) {
            if let (Some(source), Some((start, _))) = (source(from), span_of(to)) {
                self.padding.computed.insert(start, source);
            }
            return;
        }
        let added = added_through(operation);
        let Some((into, indexes)) =
            written_through(operation).or_else(|| added.clone().map(|it| (it.0, it.1)))
        else {
            return;
        };
        let sources: Vec<(BlockId, Span)> = indexes.iter().filter_map(|it| source(it)).collect();
        let lasting = memory.at(into.address);
        let lasting = lasting.filter(|block| memory[*block].capture != Some(graph));
        let Some(into) = lasting.filter(|_| sources.len() == indexes.len()) else {
            return;
        };
        let adds = match added {
            Some((_, _, values)) => match self.added(graph, &indexes, values) {
                None => return,
                some => some,
            },
            None => None,
        };
        let values = adds.iter().flat_map(|it| it.rows.iter());
        for (block, _) in sources.iter().chain(values) {
            self.padding.keep(*block);
        }
        self.padding.indexes.entry(graph).or_default().push(Index {
            sources,
            into,
            operation: index,
            adds,
        });
    }

    /// No capture runs any more.
    pub(super) fn forget_computed_indexes(&mut self) {
        self.padding.computed.clear();
    }

    /// An eager operator has ended: what it left in tensors that graphs write through.
    pub(super) fn wrote_indexes(&mut self, index: usize) {
        if self.padding.parts.is_empty() {
            return;
        }
        let replays = self.activity.replays.len();
        for tensor in self.activity.operations[index].written() {
            let block = self.activity.memory.at(tensor.address);
            let Some(parts) = block.and_then(|block| self.padding.parts.get_mut(&block)) else {
                continue;
            };
            let Some(written) = span_of(tensor) else {
                parts.clear();
                continue;
            };
            cut(parts, written);
            parts.push(Part {
                span: written,
                written,
                operation: index,
                replays,
            });
            if parts.len() > PIECES {
                parts.clear();
            }
            parts.sort_unstable_by_key(|part| part.span);
        }
    }

    /// A replay is about to be enqueued: whether it writes through what an earlier batch left behind the last one.
    pub(super) fn writes_through_old_rows(&mut self, graph: usize, replay: usize) {
        let Some(indexes) = self.padding.indexes.get(&graph) else {
            return;
        };
        let smaller = |source: &Source| Some((source.0, self.old_rows(graph, source)?));
        let found: Vec<Harm> = indexes
            .iter()
            .filter(|index| !self.is_cleared(index.into))
            .filter_map(|index| {
                // One of several indexes says which rows are meant: with it, old values of another do no harm elsewhere.
                let all: Option<Vec<_>> = index.sources.iter().map(smaller).collect();
                let (block, (batch, earlier)) = all?.first().copied()?;
                let does_harm = match &index.adds {
                    Some(added) => self.counts_again(graph, added),
                    None => self.is_changed_since(graph, index, earlier),
                };
                does_harm.then_some(())?;
                Some(Harm::WrittenThroughOldRows {
                    block,
                    operation: index.operation,
                    batch,
                    earlier,
                })
            })
            .collect();
        for harm in found {
            self.found(graph, Some(replay), harm);
        }
    }

    /// The operators that copied the last batch into an input and the earlier one of which rows are left behind it, if it is so, and
    /// the graph does not move them on by itself.
    pub(super) fn old_rows(&self, graph: usize, (block, span): &Source) -> Option<(usize, usize)> {
        let parts = self.padding.parts.get(block)?;
        let pair = self.smaller_batch(parts, *span)?;
        let mut accesses = self.activity.graphs[graph].accesses.iter();
        let moves_on = accesses.any(|it| it.does.may_write() && it.block == *block);
        (!moves_on).then_some(pair)
    }

    /// Whether what the graph writes through old indexes differs from what it wrote there with their batch, as far as that is seen: others
    /// have written the target since, or all of another input that has as many rows.
    fn is_changed_since(&self, graph: usize, index: &Index, earlier: usize) -> bool {
        let memory = &self.activity.memory;
        let accesses = &self.activity.graphs[graph].accesses;
        let is_index = |block: BlockId| index.sources.iter().any(|(it, _)| *it == block);
        let is_input = |tensor: &TensorRecord| {
            let block = memory.at(tensor.address).filter(|block| !is_index(*block));
            block.is_some_and(|block| {
                accesses
                    .iter()
                    .any(|it| it.does.reads() && it.block == block)
            })
        };
        let rows = self.activity.operations[index.operation]
            .arguments
            .iter()
            .flat_map(|it| tensors(std::slice::from_ref(it)))
            .filter(|tensor| memory.at(tensor.address).is_some_and(is_index))
            .filter_map(|tensor| tensor.sizes.first().copied())
            .max();
        let is_as_long =
            |tensor: &TensorRecord| rows.is_none_or(|rows| tensor.sizes.first() >= Some(&rows));
        let since = self.activity.operations[earlier + 1..].iter();
        let by_others = since.filter(|it| it.capture.is_none()).any(|operation| {
            let mut touched = operation.touched.iter();
            let mut written = operation.written();
            touched.any(|(block, writes)| *writes && *block == index.into)
                || written.any(|it| it.is_whole_storage() && is_as_long(it) && is_input(it))
        });
        by_others
            || self
                .activity
                .others_access(graph, |it| it.does.writes() && it.block == index.into)
    }

    /// Whether all of a block was written eagerly since the last replay: what the graph left there before is of no use to anybody.
    fn is_cleared(&self, block: BlockId) -> bool {
        let earlier = self.activity.replays.iter().rev().nth(1);
        let writer = self.contents.written_since.get(&block);
        let writer = writer.map(|index| &self.activity.operations[*index]);
        writer.is_some_and(|writer| {
            let is_since = earlier.is_none_or(|it| writer.position > it.position);
            is_since && writer.written().any(TensorRecord::is_whole_storage)
        })
    }

    /// The operator that copied the last batch to the beginning of an index, and the one that copied the earlier one of which elements
    /// are left behind it: the same operator in the same line, with more elements, and a replay in between.
    fn smaller_batch(&self, parts: &[Part], index: Span) -> Option<(usize, usize)> {
        let line = |part: &Part| {
            let operation = &self.activity.operations[part.operation];
            let stack = self.history.trace.stack(operation.stack?);
            Some((operation.name, stack.into_iter().next()?))
        };
        let batch = parts.iter().find(|part| part.span.0 == index.0)?;
        let at = line(batch)?;
        let is_left = |part: &&Part| {
            part.span.0 >= batch.span.1
                && part.span.0 < index.1
                && part.written.0 == batch.written.0
                && part.replays < batch.replays
                && line(part).as_ref() == Some(&at)
        };
        let left = parts.iter().find(is_left)?;
        (batch.written.0 == index.0).then_some((batch.operation, left.operation))
    }
}

/// Takes a piece out of what is known.
fn cut(parts: &mut Vec<Part>, (start, end): Span) {
    let mut behind = Vec::new();
    parts.retain_mut(|part| {
        let (first, last) = part.span;
        if last > end && first < end {
            behind.push(Part {
                span: (end, last),
                ..*part
            });
        }
        if last > start && first < end {
            part.span.1 = start;
        }
        part.span.0 < part.span.1
    });
    parts.extend(behind);
}

pub(super) fn span_of(tensor: &TensorRecord) -> Option<Span> {
    let (start, bytes) = tensor.range()?;
    Some((start, start.checked_add(bytes)?))
}

pub(super) fn is_index(tensor: &TensorRecord) -> bool {
    tensor.on_gpu && INDEXES.contains(&tensor.dtype)
}

/// What an operator overwrites where indexes say, and these. What is scattered within rows is left out.
fn written_through<'t>(
    operation: &Operation<'t>,
) -> Option<(&'t TensorRecord, Vec<&'t TensorRecord>)> {
    let [Argument::Tensor(into), arguments @ ..] = operation.arguments else {
        return None;
    };
    let given = match (operation.name, arguments) {
        ("index_put_" | "_index_put_impl_", [Argument::List(given), _, rest @ ..])
            if !matches!(rest, [Argument::Bool(true), ..]) =>
        {
            given.as_slice()
        }
        ("put_", [given, _, rest @ ..]) if !matches!(rest, [Argument::Bool(true), ..]) => {
            std::slice::from_ref(given)
        }
        ("index_copy_" | "index_fill_", [_, given, ..])
        | ("scatter_", [Argument::Integer(0), given, ..]) => std::slice::from_ref(given),
        _ => return None,
    };
    let indexes: Vec<&TensorRecord> = tensors(given).collect();
    let is_plain = !indexes.is_empty() && indexes.iter().all(|index| is_index(index));
    is_plain.then_some((into, indexes))
}

/// An index that an operator makes of the elements of one other, each for itself, and that other.
fn computed_one_by_one<'t>(
    operation: &Operation<'t>,
) -> Option<(&'t TensorRecord, &'t TensorRecord)> {
    let mut given = tensors(operation.arguments);
    let mut made = tensors(operation.results);
    let (Some(from), None, Some(to), None) = (given.next(), given.next(), made.next(), made.next())
    else {
        return None;
    };
    let is_alike = from.sizes == to.sizes && from.address != to.address;
    (is_alike && is_index(from) && is_index(to)).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(span: Span, operation: usize, replays: usize) -> Part {
        Part {
            span,
            written: span,
            operation,
            replays,
        }
    }

    #[test]
    fn what_is_written_anew_is_cut_out_of_what_lay_there() {
        let mut parts = vec![part((0, 80), 0, 0)];
        cut(&mut parts, (16, 32));
        let spans: Vec<Span> = parts.iter().map(|it| it.span).collect();
        assert_eq!(spans, [(0, 16), (32, 80)]);
        assert!(parts.iter().all(|it| it.written == (0, 80)));
        cut(&mut parts, (0, 100));
        assert!(parts.is_empty());
    }
}
