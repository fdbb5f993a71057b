//! What each collective moves: who sends which bytes to whom, and what a rank makes of what it gets.

use std::ops::Range;

use super::data::{self, DataType, Reduction};

/// What a collective does.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    AllReduce(Operator),
    Reduce { operator: Operator, root: usize },
    ReduceScatter(Operator),
    AllGather,
    AllToAll,
    Broadcast { root: usize },
    Gather { root: usize },
    Scatter { root: usize },
    Send { to: usize },
    Receive { from: usize },
}

/// How a reduction reduces.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// As it is.
    Plain(Reduction),
    /// It sums, and each rank multiplies its input first (`ncclRedOpCreatePreMulSum`).
    Scaled(Factor),
}

/// What a rank multiplies its input by.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// A number, given when the operator was made.
    Number(Vec<u8>),
    /// What lies at an address when the collective takes place.
    At(u64),
}

/// A collective of one rank: so many elements, from one address to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    pub kind: Kind,
    pub data: DataType,
    pub count: usize,
    pub from: u64,
    pub to: u64,
}

/// What one of some ranks does for a collective. Bytes are counted in its input.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// To whom it sends which part.
    pub sends: Vec<(Vec<usize>, Range<usize>)>,
    /// The part that is for itself.
    pub keeps: Option<Range<usize>>,
    /// The other ranks that it gets a part from.
    pub receives: Vec<usize>,
}

impl Plan {
    /// Whether something is written: what is kept and received, in the order of ranks, reduced or one after the other.
    pub fn has_output(&self) -> bool {
        self.keeps.is_some() || !self.receives.is_empty()
    }
}

impl Collective {
    /// The bytes that each rank contributes to another; `None` if no memory is that large.
    pub fn bytes(&self, ranks: usize) -> Option<usize> {
        let bytes = self.count.checked_mul(self.data.size())?;
        bytes.checked_mul(ranks).map(|_| bytes)
    }

    /// What a rank does.
    pub fn plan(&self, rank: usize, ranks: usize) -> Plan {
        let bytes = self.part_bytes();
        let others = || -> Vec<usize> { (0..ranks).filter(|other| *other != rank).collect() };
        let whole = 0..bytes;
        let part = |of: usize| of * bytes..(of + 1) * bytes;
        let a_part_for_each = || {
            others()
                .into_iter()
                .map(|to| (vec![to], part(to)))
                .collect()
        };
        let to_root = |root: usize| Plan {
            sends: vec![(vec![root], whole.clone())],
            keeps: None,
            receives: Vec::new(),
        };
        let from = |root: usize| Plan {
            sends: Vec::new(),
            keeps: None,
            receives: vec![root],
        };
        match self.kind {
            Kind::AllReduce(_) | Kind::AllGather => Plan {
                sends: vec![(others(), whole.clone())],
                keeps: Some(whole),
                receives: others(),
            },
            Kind::ReduceScatter(_) | Kind::AllToAll => Plan {
                sends: a_part_for_each(),
                keeps: Some(part(rank)),
                receives: others(),
            },
            Kind::Reduce { root, .. } | Kind::Gather { root } if root == rank => Plan {
                sends: Vec::new(),
                keeps: Some(whole),
                receives: others(),
            },
            Kind::Broadcast { root } if root == rank => Plan {
                sends: vec![(others(), whole.clone())],
                keeps: Some(whole),
                receives: Vec::new(),
            },
            Kind::Scatter { root } if root == rank => Plan {
                sends: a_part_for_each(),
                keeps: Some(part(rank)),
                receives: Vec::new(),
            },
            Kind::Reduce { root, .. } | Kind::Gather { root } | Kind::Send { to: root } => {
                to_root(root)
            }
            Kind::Broadcast { root } | Kind::Scatter { root } | Kind::Receive { from: root } => {
                from(root)
            }
        }
    }

    fn operator(&self) -> Option<&Operator> {
        match &self.kind {
            Kind::AllReduce(operator)
            | Kind::ReduceScatter(operator)
            | Kind::Reduce { operator, .. } => Some(operator),
            _ => None,
        }
    }

    /// What a rank multiplies its input by.
    pub fn factor(&self) -> Option<&Factor> {
        match self.operator()? {
            Operator::Scaled(factor) => Some(factor),
            Operator::Plain(_) => None,
        }
    }

    /// The output, from parts in the order of ranks.
    pub fn output(&self, parts: &[Vec<u8>]) -> Vec<u8> {
        match self.operator() {
            Some(Operator::Plain(reduction)) => data::reduce(self.data, *reduction, parts),
            Some(Operator::Scaled(_)) => data::reduce(self.data, Reduction::Sum, parts),
            None => parts.concat(),
        }
    }

    /// The bytes that a rank gets from another.
    pub fn part_bytes(&self) -> usize {
        self.count * self.data.size()
    }

    /// What all ranks have to agree on, in words.
    pub fn terms(&self) -> String {
        let Collective { data, count, .. } = self;
        let how = match &self.kind {
            Kind::AllReduce(operator) | Kind::ReduceScatter(operator) => {
                format!(" ({})", operator.name())
            }
            Kind::Reduce { operator, root } => format!(" ({}) to rank {root}", operator.name()),
            Kind::Broadcast { root } | Kind::Scatter { root } => format!(" from rank {root}"),
            Kind::Gather { root } => format!(" to rank {root}"),
            Kind::AllGather | Kind::AllToAll | Kind::Send { .. } | Kind::Receive { .. } => {
                String::new()
            }
        };
        format!("{}{how} of {count} {data:?}", self.name())
    }

    /// The function that was called; of a transfer, both.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::AllReduce(_) => "ncclAllReduce",
            Kind::Reduce { .. } => "ncclReduce",
            Kind::ReduceScatter(_) => "ncclReduceScatter",
            Kind::AllGather => "ncclAllGather",
            Kind::AllToAll => "ncclAlltoAll",
            Kind::Broadcast { .. } => "ncclBroadcast",
            Kind::Gather { .. } => "ncclGather",
            Kind::Scatter { .. } => "ncclScatter",
            Kind::Send { .. } | Kind::Receive { .. } => "ncclSend and ncclRecv",
        }
    }

    /// The name of the kernel that NCCL does it with.
    pub fn kernel(&self) -> &'static str {
        match self.kind {
            Kind::AllReduce(_) => "ncclDevKernel_AllReduce",
            Kind::Reduce { .. } => "ncclDevKernel_Reduce",
            Kind::ReduceScatter(_) => "ncclDevKernel_ReduceScatter",
            Kind::AllGather => "ncclDevKernel_AllGather",
            Kind::Broadcast { .. } => "ncclDevKernel_Broadcast",
            Kind::AllToAll
            | Kind::Gather { .. }
            | Kind::Scatter { .. }
            | Kind::Send { .. }
            | Kind::Receive { .. } => "ncclDevKernel_SendRecv",
        }
    }
}

impl Operator {
    fn name(&self) -> &'static str {
        match self {
            Operator::Plain(Reduction::Sum) => "sum",
            Operator::Plain(Reduction::Product) => "product",
            Operator::Plain(Reduction::Maximum) => "maximum",
            Operator::Plain(Reduction::Minimum) => "minimum",
            Operator::Plain(Reduction::Average) => "average",
            Operator::Scaled(_) => "scaled sum",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: Operator = Operator::Plain(Reduction::Sum);

    /// What each of three ranks has after a collective over inputs of bytes, as if all messages arrived.
    fn outputs(kind: &Kind, count: usize, inputs: [&[u8]; 3]) -> [Vec<u8>; 3] {
        let collective = Collective {
            kind: kind.clone(),
            data: DataType::Uint8,
            count,
            from: 0,
            to: 0,
        };
        let plans = [0, 1, 2].map(|rank| collective.plan(rank, 3));
        let sent = |from: usize, to: usize| {
            let mut parts = plans[from].sends.iter();
            let part = parts.find(|(receivers, _)| receivers.contains(&to));
            inputs[from][part.unwrap().1.clone()].to_vec()
        };
        [0, 1, 2].map(|rank| {
            let plan = &plans[rank];
            let parts: Vec<Vec<u8>> = (0..3)
                .filter_map(|other| match &plan.keeps {
                    Some(kept) if other == rank => Some(inputs[rank][kept.clone()].to_vec()),
                    _ => plan.receives.contains(&other).then(|| sent(other, rank)),
                })
                .collect();
            if plan.has_output() {
                collective.output(&parts)
            } else {
                Vec::new()
            }
        })
    }

    const INPUTS: [&[u8]; 3] = [&[1, 2, 3], &[10, 20, 30], &[100, 110, 120]];

    #[test]
    fn reductions_reach_all_the_root_or_each_its_part() {
        let sums = vec![111, 132, 153];
        let all = outputs(&Kind::AllReduce(SUM), 3, INPUTS);
        assert_eq!(all, [sums.clone(), sums.clone(), sums.clone()]);
        let root = Kind::Reduce {
            operator: SUM,
            root: 1,
        };
        assert_eq!(outputs(&root, 3, INPUTS), [vec![], sums, vec![]]);
        let parts = outputs(&Kind::ReduceScatter(SUM), 1, INPUTS);
        assert_eq!(parts, [vec![111], vec![132], vec![153]]);
    }

    #[test]
    fn what_is_gathered_comes_in_the_order_of_ranks() {
        let all = vec![1, 10, 100];
        let gathered = outputs(&Kind::AllGather, 1, INPUTS);
        assert_eq!(gathered, [all.clone(), all.clone(), all.clone()]);
        let root = outputs(&Kind::Gather { root: 2 }, 1, INPUTS);
        assert_eq!(root, [vec![], vec![], all]);
        let exchanged = outputs(&Kind::AllToAll, 1, INPUTS);
        assert_eq!(
            exchanged,
            [vec![1, 10, 100], vec![2, 20, 110], vec![3, 30, 120]]
        );
    }

    #[test]
    fn a_root_gives_all_to_each_or_each_its_part() {
        let broadcast = outputs(&Kind::Broadcast { root: 1 }, 3, INPUTS);
        assert_eq!(
            broadcast,
            [vec![10, 20, 30], vec![10, 20, 30], vec![10, 20, 30]]
        );
        let scattered = outputs(&Kind::Scatter { root: 0 }, 1, INPUTS);
        assert_eq!(scattered, [vec![1], vec![2], vec![3]]);
    }
}
