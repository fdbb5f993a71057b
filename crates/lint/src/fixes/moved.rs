//! Statements that are recorded, and belong before the capture or behind it.

use super::change::{Change, changes};
use super::imported::Imported;
use super::names;
use super::place::Spot;
use super::region::Region;
use crate::draft::Captured;
use crate::finding::Edit;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::Names;
use crate::syntax::ast::{ComparableExpr, Expr, ExprCall, Ranged as _, Stmt, TextRange};

/// Functions that show what they are given.
const TELL: [&str; 4] = [
    "builtins.print",
    "logging.debug",
    "logging.info",
    "logging.warning",
];

/// Functions that make a value of the host of another.
const CONVERT: [&str; 5] = [
    "builtins.bool",
    "builtins.float",
    "builtins.int",
    "builtins.round",
    "builtins.str",
];

/// Moves the statement that reads a value from the device behind the capture, and behind the replay that follows it, if
/// nothing after it needs it.
pub(super) fn behind(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let (target, value) = parts(spot.statement())?;
    // What else the statement computes belongs into the graph.
    let host = Host {
        imported: Imported::at(region.source, site.range),
        read: site.range,
    };
    let tells = target.is_none() && host.is_told(value);
    let reads = value.range().contains_range(site.range) && host.computes(value);
    if region.body.len() < 2 || !reads && !tells {
        return None;
    }
    let mut used = Names::of(value);
    used.extend(target);
    let is_needed =
        target.is_some_and(|it| names::mentioned(spot.rest(), it, spot.statement().end()));
    if is_needed || names::changed(spot.rest(), &used) {
        return None;
    }
    let line = moved(&spot)?;
    let after = behind_replay(&region, target);
    changes(
        region.file,
        "read it after the capture",
        false,
        [spot.without()?, after.below(&[line])?],
    )
}

/// Moves the statement above the capture.
pub(super) fn ahead(
    project: &Project,
    capture: Captured,
    site: Site,
    title: &'static str,
) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let (target, value) = parts(spot.statement())?;
    if target.is_some() || value.range() != site.range || region.body.len() < 2 {
        return None;
    }
    let earlier = &region.body[..spot.at];
    if names::changed(earlier, &Names::of(value)) {
        return None;
    }
    let edits: [Edit; 2] = [region.begin.above(&[moved(&spot)?])?, spot.without()?];
    changes(region.file, title, false, edits)
}

/// The name that a statement gives a value, and that value.
fn parts(statement: &Stmt) -> Option<(Option<&str>, &Expr)> {
    match statement {
        Stmt::Expr(it) => Some((None, &it.value)),
        Stmt::Assign(it) => {
            let [Expr::Name(target)] = it.targets.as_slice() else {
                return None;
            };
            Some((Some(target.id.as_str()), &it.value))
        }
        _ => None,
    }
}

/// A statement's lines as one that can stand elsewhere: what follows its indentation.
fn moved(spot: &Spot<'_>) -> Option<String> {
    let lines = spot.lines()?;
    let text = spot.source.text.get(lines)?;
    Some(text.trim_start_matches([' ', '\t']).trim_end().to_owned())
}

/// The last statement that must run before a value of the graph can be read.
fn behind_replay<'p>(region: &Region<'p>, target: Option<&str>) -> Spot<'p> {
    let end = region.end;
    let is_replay = |it: &Stmt| {
        let replayed = it.as_expr_stmt().and_then(|it| names::replayed(&it.value));
        let same =
            |(one, other): (&Expr, &Expr)| ComparableExpr::from(one) == ComparableExpr::from(other);
        replayed.zip(region.graph).is_some_and(same)
    };
    for (skipped, statement) in end.rest().iter().enumerate() {
        if is_replay(statement) {
            return Spot {
                at: end.at + 1 + skipped,
                ..end
            };
        }
        let one = std::slice::from_ref(statement);
        if target.is_some_and(|it| names::mentioned(one, it, statement.start())) {
            break;
        }
    }
    end
}

/// What is known of code that may do nothing but take what is read at one place to the host.
struct Host<'p> {
    imported: Imported<'p>,
    /// Where a value is read.
    read: TextRange,
}

impl Host<'_> {
    /// Whether an expression does nothing but tell what is read: `print(…)`.
    fn is_told(&self, expression: &Expr) -> bool {
        let Expr::Call(call) = expression else {
            return false;
        };
        self.imported.is_one_of(&call.func, &TELL) && self.has_only_host(call)
    }

    /// Whether an expression computes on the host only, from what is read.
    fn computes(&self, expression: &Expr) -> bool {
        let is_read = |it: &Expr| it.range().contains_range(self.read) && self.computes(it);
        if expression.range() == self.read {
            return true;
        }
        match expression {
            Expr::Name(_)
            | Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_) => true,
            Expr::FString(it) => it
                .value
                .elements()
                .filter_map(|it| it.as_interpolation())
                .all(|it| self.computes(&it.expression)),
            Expr::Attribute(it) => is_read(&it.value),
            Expr::Subscript(it) => is_read(&it.value) && self.computes(&it.slice),
            Expr::Call(it) => {
                let converts = self.imported.is_one_of(&it.func, &CONVERT) || is_read(&it.func);
                converts && self.has_only_host(it)
            }
            _ => false,
        }
    }

    fn has_only_host(&self, call: &ExprCall) -> bool {
        let named = call.arguments.keywords.iter().map(|it| &it.value);
        let mut arguments = call.arguments.args.iter().chain(named);
        arguments.all(|it| self.computes(it))
    }
}
