//! PyTorch's observer interface (`ATen/record_function.h`), as its C++ has it.
#![expect(unsafe_code, reason = "calls functions of PyTorch's")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use crate::modules;

const LIBRARY: &str = "libtorch_cpu.so";
const BASE_LIBRARY: &str = "libc10.so";
/// Where tensors are wrapped in objects of Python's.
const PYTHON_LIBRARY: &str = "libtorch_python.so";

/// The kinds of things that are observed (`at::RecordScope`): room for more than there are.
const SCOPES: usize = 16;

/// `at::RecordScope::FUNCTION`: operators.
const OPERATORS: usize = 0;

/// How many scopes PyTorch's callback has room for (`at::RecordScope::NUM_SCOPES`, 2.5 to 2.11). The three flags lie behind
/// them, so a version with another number is told from this one by the check that the inputs are there.
const TORCH_SCOPES: usize = 10;

/// Called when an operator begins. Returns its first argument, which receives an owned `at::ObserverContext`, here null.
pub type Start =
    extern "C" fn(context: *mut *mut c_void, operator: *const c_void) -> *mut *mut c_void;
/// Called when an operator ends.
pub type End = extern "C" fn(operator: *const c_void, context: *mut c_void);

/// `at::RecordFunctionCallback`. It is passed by value in memory, and room behind it is not looked at.
#[repr(C)]
pub struct Callback {
    start: Start,
    end: End,
    sampling_probability: f64,
    flags: [u8; SCOPES],
}

impl Callback {
    /// A callback for operators, with what they are given and give back.
    pub fn new(start: Start, end: End) -> Callback {
        let mut flags = [0; SCOPES];
        flags[OPERATORS] = 1;
        // `needs_inputs_` and `needs_outputs_`.
        flags[TORCH_SCOPES] = 1;
        flags[TORCH_SCOPES + 1] = 1;
        Callback {
            start,
            end,
            sampling_probability: 1.0,
            flags,
        }
    }
}

type Add = extern "C" fn(Callback) -> u64;
type Switch = extern "C" fn(u64);
type Name = extern "C" fn(*const c_void) -> *const c_char;
/// A function that returns an object in memory of the caller's, and is given another one.
type Into = extern "C" fn(*mut c_void, *const c_void) -> *mut c_void;
type Delete = extern "C" fn(*mut c_void);

type WrapAt = extern "C" fn(*const c_void) -> *mut c_void;

/// What wraps a tensor, which is a counted pointer.
#[derive(Clone, Copy)]
enum Wrap {
    /// It is given the address of the tensor.
    Same(WrapAt),
    /// Up to some version, it is given the address of a copy of the tensor, which it may empty.
    Copy(WrapAt),
}

/// How `std::string` of libstdc++ lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Where it begins, its length, and room for a short one.
    Long,
    /// Where it begins; what is known of it lies before that. PyTorch's wheels up to 2.6 were built so (`_GLIBCXX_USE_CXX11_ABI=0`).
    Shared,
}

/// How far before its beginning the length of a shared text lies (`std::string::_Rep`).
pub const SHARED_LENGTH: usize = 24;

/// How the texts of the loaded PyTorch lie in memory.
pub fn texts() -> Texts {
    functions().map_or(Texts::Long, |it| it.texts)
}

/// PyTorch's functions.
pub struct Functions {
    /// `at::addGlobalCallback`.
    pub add: Add,
    /// `at::disableCallback`.
    pub disable: Switch,
    /// `at::reenableCallback`.
    pub enable: Switch,
    /// `at::RecordFunction::name`.
    name: Name,
    /// `at::RecordFunction::operator_name`, and what frees its texts.
    full_name: Option<(Into, Delete)>,
    /// How texts lie in memory.
    texts: Texts,
    /// `THPVariable_Wrap`.
    wrap: Option<Wrap>,
    /// Where the one undefined tensor lies (`c10::UndefinedTensorImpl::singleton`). It has keys to be dispatched by like others.
    pub undefined: Option<usize>,
}

static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

/// The functions of the loaded PyTorch, which must have been imported whole; `None` if it lacks one.
pub fn functions() -> Option<&'static Functions> {
    FUNCTIONS.get_or_init(find).as_ref()
}

fn find() -> Option<Functions> {
    let symbol = |name: &CStr| modules::symbol(LIBRARY, name);
    let add = symbol(c"_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE")?;
    let disable = symbol(c"_ZN2at15disableCallbackEm")?;
    let enable = symbol(c"_ZN2at16reenableCallbackEm")?;
    let name = symbol(c"_ZNK2at14RecordFunction4nameEv")?;
    let full_name = symbol(c"_ZNK2at14RecordFunction13operator_nameEv");
    let wrap = |name| modules::symbol(PYTHON_LIBRARY, name);
    let wrap_same = wrap(c"_Z16THPVariable_WrapRKN2at10TensorBaseE");
    let wrap_copy = wrap(c"_Z16THPVariable_WrapN2at10TensorBaseE");
    let delete = modules::symbol("libstdc++.so.6", c"_ZdlPv");
    // The name of what returns a text says so where texts are long.
    let long = modules::symbol(
        BASE_LIBRARY,
        c"_ZN3c1014DeviceTypeNameB5cxx11ENS_10DeviceTypeEb",
    );
    let texts = long.map_or(Texts::Shared, |_| Texts::Long);
    let undefined = modules::symbol(BASE_LIBRARY, c"_ZN3c1019UndefinedTensorImpl10_singletonE");
    // SAFETY: the mangled names say that these are functions with these parameters; their library is never unloaded.
    unsafe {
        Some(Functions {
            add: std::mem::transmute::<usize, Add>(add),
            disable: std::mem::transmute::<usize, Switch>(disable),
            enable: std::mem::transmute::<usize, Switch>(enable),
            name: std::mem::transmute::<usize, Name>(name),
            full_name: full_name.zip(delete).map(|(name, delete)| {
                (
                    std::mem::transmute::<usize, Into>(name),
                    std::mem::transmute::<usize, Delete>(delete),
                )
            }),
            texts,
            undefined,
            wrap: wrap_same
                .map(|it| Wrap::Same(std::mem::transmute::<usize, WrapAt>(it)))
                .or_else(|| {
                    wrap_copy.map(|it| Wrap::Copy(std::mem::transmute::<usize, WrapAt>(it)))
                }),
        })
    }
}

/// An operator that is being called: an `at::RecordFunction`, valid during the callback that it was handed to.
#[derive(Clone, Copy)]
pub struct Running(*const c_void);

impl Running {
    /// # Safety
    ///
    /// `operator` is what PyTorch handed to a [`Start`] or [`End`], which has not returned.
    pub unsafe fn new(operator: *const c_void) -> Running {
        Running(operator)
    }

    /// Where it lies, which names it until it ends.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Its name with its namespace, as `aten::add`; what is no UTF-8 is replaced.
    pub fn name(self) -> Option<&'static CStr> {
        let name = (functions()?.name)(self.0);
        // SAFETY: the name of an operator is part of its schema, which is kept while the operator is registered. Those
        // who keep it longer than the call copy it.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
    }

    /// Its name and that of its overload, as `aten::add` and `Tensor`; `None` for what is no operator.
    pub fn full_name(self) -> Option<(String, String)> {
        let functions = functions()?;
        let (name, delete) = functions.full_name?;
        // The last byte says whether there is a name.
        match functions.texts {
            Texts::Long => {
                let mut room = FullName::default();
                name((&raw mut room).cast(), self.0);
                (room.is_there & 0xff != 0)
                    .then(|| (room.name.take(delete), room.overload.take(delete)))
            }
            Texts::Shared => {
                let mut room = SharedName::default();
                name((&raw mut room).cast(), self.0);
                // They are not freed: each operator is asked once.
                (room.is_there & 0xff != 0).then(|| (room.name.text(), room.overload.text()))
            }
        }
    }
}

/// The object of Python's for a tensor, as an owned reference; `None` if there is none.
///
/// # Safety
///
/// An `at::Tensor` lies at the address, and the calling thread has the interpreter.
pub unsafe fn object(tensor: usize) -> Option<std::ptr::NonNull<c_void>> {
    let object = match functions()?.wrap? {
        Wrap::Same(wrap) => wrap(tensor as *const c_void),
        // SAFETY: by the contract of this function.
        Wrap::Copy(wrap) => unsafe { wrap_copy(wrap, tensor) },
    };
    std::ptr::NonNull::new(object)
}

/// # Safety
///
/// As for [`object`].
unsafe fn wrap_copy(wrap: WrapAt, tensor: usize) -> *mut c_void {
    // SAFETY: a tensor is a pointer to what is counted, and the count lies behind the address of its functions
    // (`c10::intrusive_ptr_target`, up to 2.9, in which objects of Python's do not count).
    let count = unsafe {
        let counted = (tensor as *const *mut u8).read();
        std::sync::atomic::AtomicU32::from_ptr(counted.add(8).cast())
    };
    // SAFETY: as above.
    let mut copy = unsafe { (tensor as *const *mut c_void).read() };
    count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let object = wrap((&raw mut copy).cast_const().cast());
    // What was not taken from the copy is given back. It is not the last: the tensor itself counts.
    // SAFETY: the copy is ours, and the tensor is still there.
    if unsafe { (&raw const copy).read_volatile() == (tensor as *const *mut c_void).read() } {
        count.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }
    object
}

/// Whether [`object`] and [`Running::full_name`] can be asked.
pub fn hands_over() -> bool {
    functions().is_some_and(|it| it.full_name.is_some() && it.wrap.is_some())
}

/// `std::optional<c10::OperatorName>` of libstdc++.
#[repr(C)]
#[derive(Default)]
struct FullName {
    name: Text,
    overload: Text,
    is_there: u64,
}

/// `std::string` of libstdc++: short ones lie in it.
#[repr(C)]
#[derive(Default)]
struct Text {
    begin: usize,
    length: usize,
    within: [u64; 2],
}

/// The same of [`Texts::Shared`].
#[repr(C)]
#[derive(Default)]
struct SharedName {
    name: SharedText,
    overload: SharedText,
    is_there: u64,
}

#[repr(C)]
#[derive(Default)]
struct SharedText {
    begin: usize,
}

impl SharedText {
    fn text(&self) -> String {
        // SAFETY: before a shared text of C++'s lies its length, and it has so many bytes where it begins.
        let bytes = unsafe {
            let length = ((self.begin - SHARED_LENGTH) as *const usize).read();
            std::slice::from_raw_parts(self.begin as *const u8, length)
        };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

impl Text {
    /// The text, which is freed; what is no UTF-8 is replaced.
    fn take(&self, delete: Delete) -> String {
        // SAFETY: a text of C++'s has so many bytes where it begins.
        let bytes = unsafe { std::slice::from_raw_parts(self.begin as *const u8, self.length) };
        let text = String::from_utf8_lossy(bytes).into_owned();
        if self.begin != (&raw const self.within) as usize {
            delete(self.begin as *mut c_void);
        }
        text
    }
}
