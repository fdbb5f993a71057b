//! What launches, streams and kernel nodes can be given besides their parameters (`CUlaunchAttribute`, `cudaLaunchAttribute`).
//!
//! Nothing here depends on them but the order of events, so they are kept and given back. Which of the three has which, and
//! what is refused, is what the CUDA driver API says of `CUlaunchAttributeID` and `CUlaunchAttributeValue`.

use cgsan_model::Code;

/// An attribute (`CUlaunchAttributeID`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Attribute {
    /// Which memory the caches are to keep.
    AccessPolicyWindow = 1,
    /// Whether the kernel's blocks can wait for each other.
    Cooperative = 2,
    /// How the host waits for a stream.
    SynchronizationPolicy = 3,
    /// How many blocks are a cluster, in each dimension.
    ClusterDimension = 4,
    /// How clusters are placed.
    ClusterSchedulingPolicy = 5,
    /// Whether a kernel may begin before the one before it has ended.
    ProgrammaticSerialization = 6,
    /// An event that the blocks trigger.
    ProgrammaticEvent = 7,
    /// The priority.
    Priority = 8,
    /// Which domains of memory order the two names of domains stand for.
    SyncDomainMap = 9,
    /// The domain of memory order.
    SyncDomain = 10,
    /// How many blocks are a cluster if there is room for it.
    PreferredClusterDimension = 11,
    /// An event that happens when all blocks have begun.
    CompletionEvent = 12,
    /// Whether kernels can change the node.
    DeviceUpdatable = 13,
    /// How much of the first cache is shared memory, in percent.
    SharedMemoryCarveout = 14,
    /// Whether blocks are placed for traffic over `NVLink`.
    NvlinkScheduling = 16,
}

/// The bytes of a value: as many as that of its attribute has, and zeros.
pub type Value = [u8; ROOM];

/// The most bytes that a value has.
const ROOM: usize = 32;

impl Attribute {
    /// The attribute with this number; `None` if it is not known, or stands for none.
    pub fn of(number: u32) -> Option<Attribute> {
        use Attribute as A;
        let known = [
            A::AccessPolicyWindow,
            A::Cooperative,
            A::SynchronizationPolicy,
            A::ClusterDimension,
            A::ClusterSchedulingPolicy,
            A::ProgrammaticSerialization,
            A::ProgrammaticEvent,
            A::Priority,
            A::SyncDomainMap,
            A::SyncDomain,
            A::PreferredClusterDimension,
            A::CompletionEvent,
            A::DeviceUpdatable,
            A::SharedMemoryCarveout,
            A::NvlinkScheduling,
        ];
        known
            .into_iter()
            .find(|attribute| *attribute as u32 == number)
    }

    /// How many bytes its value has.
    pub fn size(self) -> usize {
        match self {
            Attribute::AccessPolicyWindow => 32,
            Attribute::ProgrammaticEvent
            | Attribute::CompletionEvent
            | Attribute::DeviceUpdatable => 16,
            Attribute::ClusterDimension | Attribute::PreferredClusterDimension => 12,
            Attribute::SyncDomainMap => 2,
            _ => 4,
        }
    }

    /// Whether streams have it.
    pub fn is_of_streams(self) -> bool {
        use Attribute as A;
        matches!(
            self,
            A::AccessPolicyWindow
                | A::SynchronizationPolicy
                | A::Priority
                | A::SyncDomainMap
                | A::SyncDomain
                | A::NvlinkScheduling
        )
    }

    /// Whether kernel nodes have it.
    pub fn is_of_nodes(self) -> bool {
        use Attribute as A;
        !matches!(
            self,
            A::SynchronizationPolicy
                | A::ProgrammaticSerialization
                | A::ProgrammaticEvent
                | A::CompletionEvent
        )
    }

    /// Whether a launch can have it.
    pub fn is_of_launches(self) -> bool {
        self != Attribute::SynchronizationPolicy
    }

    /// The value where none was given.
    pub fn default(self) -> Value {
        let mut value = [0; ROOM];
        match self {
            // `CU_SYNC_POLICY_AUTO`.
            Attribute::SynchronizationPolicy => value[0] = 1,
            // The default domain is number 0, the remote one number 1.
            Attribute::SyncDomainMap => value[1] = 1,
            _ => {}
        }
        value
    }

    /// Refuses values that it cannot have.
    pub fn check(self, value: &Value) -> Result<(), Code> {
        let number = u32_at(value, 0);
        let is_possible = match self {
            Attribute::AccessPolicyWindow => {
                u64_at(value, 8) <= MOST_WINDOW
                    && u32_at(value, 20) <= PERSISTING
                    && u32_at(value, 24) < PERSISTING
            }
            Attribute::SynchronizationPolicy => (1..=4).contains(&number),
            Attribute::ClusterSchedulingPolicy => number <= 2,
            Attribute::SyncDomainMap => value[0] < DOMAINS && value[1] < DOMAINS,
            Attribute::SyncDomain | Attribute::NvlinkScheduling => number <= 1,
            _ => true,
        };
        if is_possible {
            Ok(())
        } else {
            Err(Code::INVALID_VALUE)
        }
    }
}

/// `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE` in bytes.
const MOST_WINDOW: u64 = 134_217_728;
/// `CU_ACCESS_PROPERTY_PERSISTING`, which what misses a window cannot be.
const PERSISTING: u32 = 2;
/// `CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT`.
const DOMAINS: u8 = 4;
/// `CUDA_ERROR_INVALID_CLUSTER_SIZE`.
const INVALID_CLUSTER_SIZE: Code = Code(912);

/// The attributes that something was given.
#[derive(Clone, Debug, Default)]
pub struct Attributes(Vec<(Attribute, Value)>);

impl Attributes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of an attribute, or its default.
    pub fn get(&self, wanted: Attribute) -> Value {
        self.given(wanted)
            .copied()
            .unwrap_or_else(|| wanted.default())
    }

    /// Gives an attribute a value.
    pub fn set(&mut self, attribute: Attribute, value: Value) {
        self.0.retain(|(given, _)| *given != attribute);
        self.0.push((attribute, value));
    }

    /// The same, of a kernel whose blocks can wait for each other.
    #[must_use]
    pub fn cooperative(mut self) -> Attributes {
        self.set(Attribute::Cooperative, of_number(1));
        self
    }

    /// The value that an attribute was given.
    pub fn given(&self, wanted: Attribute) -> Option<&Value> {
        let given = self.0.iter().find(|(attribute, _)| *attribute == wanted);
        given.map(|(_, value)| value)
    }

    /// Gives the same attributes the same values as another.
    pub fn take_over(&mut self, other: &Attributes) {
        for (attribute, value) in &other.0 {
            self.set(*attribute, *value);
        }
    }

    /// Those that kernel nodes have.
    #[must_use]
    pub fn of_node(mut self) -> Attributes {
        self.0.retain(|(attribute, _)| attribute.is_of_nodes());
        self
    }

    /// The priority.
    pub fn priority(&self) -> i32 {
        number_of(&self.get(Attribute::Priority))
    }

    /// Whether the kernel's blocks can wait for each other.
    pub fn is_cooperative(&self) -> bool {
        number_of(&self.get(Attribute::Cooperative)) != 0
    }

    /// The events that happen because of the kernel, each with its flags.
    pub fn events(&self) -> impl Iterator<Item = (u64, u32)> {
        let events = self.0.iter().filter(|(attribute, _)| {
            matches!(
                attribute,
                Attribute::ProgrammaticEvent | Attribute::CompletionEvent
            )
        });
        events.map(|(_, value)| (u64_at(value, 0), u32_at(value, 8)))
    }

    /// Refuses clusters that a grid is not made of.
    pub fn check_clusters(&self, grid: [u32; 3]) -> Result<(), Code> {
        for attribute in [
            Attribute::ClusterDimension,
            Attribute::PreferredClusterDimension,
        ] {
            let value = self.get(attribute);
            let cluster = [0, 4, 8].map(|at| u32_at(&value, at));
            let divides = |(blocks, cluster): (u32, u32)| {
                blocks.checked_rem(cluster).is_some_and(|rest| rest == 0)
            };
            if cluster != [0; 3] && !grid.into_iter().zip(cluster).all(divides) {
                return Err(INVALID_CLUSTER_SIZE);
            }
        }
        Ok(())
    }
}

/// A number as a value.
pub fn of_number(number: i32) -> Value {
    let mut value = [0; ROOM];
    value[..4].copy_from_slice(&number.to_le_bytes());
    value
}

/// A value as a number.
pub fn number_of(value: &Value) -> i32 {
    u32_at(value, 0).cast_signed()
}

fn u32_at(value: &Value, at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&value[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn u64_at(value: &Value, at: usize) -> u64 {
    u64::from(u32_at(value, at)) | u64::from(u32_at(value, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(dimensions: [u8; 3]) -> Attributes {
        let mut value = [0; ROOM];
        for (at, length) in [0, 4, 8].into_iter().zip(dimensions) {
            value[at] = length;
        }
        Attributes(vec![(Attribute::ClusterDimension, value)])
    }

    #[test]
    fn clusters_divide_the_grid() {
        assert!(Attributes::default().check_clusters([3, 1, 1]).is_ok());
        assert!(cluster([2, 1, 1]).check_clusters([4, 1, 1]).is_ok());
        for refused in [[3, 1, 1], [2, 2, 1], [2, 0, 1]] {
            let answer = cluster(refused).check_clusters([4, 1, 1]);
            assert_eq!(answer, Err(INVALID_CLUSTER_SIZE), "{refused:?}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert!(
            Attribute::SynchronizationPolicy
                .check(&of_number(4))
                .is_ok()
        );
        for (attribute, number) in [
            (Attribute::SynchronizationPolicy, 0),
            (Attribute::ClusterSchedulingPolicy, 3),
            (Attribute::SyncDomain, 2),
            (Attribute::SyncDomainMap, 4),
        ] {
            assert!(
                attribute.check(&of_number(number)).is_err(),
                "{attribute:?}"
            );
        }
        let mut window = [0; ROOM];
        window[24] = 1;
        assert!(Attribute::AccessPolicyWindow.check(&window).is_ok());
        window[24] = 2;
        assert!(Attribute::AccessPolicyWindow.check(&window).is_err());
    }

    #[test]
    fn a_default_is_a_value_that_is_possible() {
        for attribute in (0..32).filter_map(Attribute::of) {
            assert!(
                attribute.check(&attribute.default()).is_ok(),
                "{attribute:?}"
            );
            assert!(attribute.size() <= ROOM);
        }
    }

    #[test]
    fn what_is_given_later_counts() {
        let mut attributes = Attributes::default();
        attributes.set(Attribute::Priority, of_number(-5));
        attributes.set(Attribute::SynchronizationPolicy, of_number(2));
        let mut other = Attributes::default();
        other.set(Attribute::Priority, of_number(-3));
        attributes.take_over(&other);
        assert_eq!(attributes.priority(), -3);
        let of_node = attributes.of_node();
        assert_eq!(of_node.get(Attribute::SynchronizationPolicy), of_number(1));
        assert_eq!(of_node.priority(), -3);
    }
}
