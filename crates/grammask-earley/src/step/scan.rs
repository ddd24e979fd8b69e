//! Scanning: from an item and a byte class to the item after it.

use grammask_regular::ByteSet;

use crate::permutation::distinct;
use crate::recognizer::dynamic_nodes::NodeKind;
use crate::step::nodes::NodeFactory;
use crate::step::{Context, first_sets};
use crate::{Class, Error, Item, NetworkNodeId};

/// Returns the node to which a class leads from `node`. Returns `None` if the node does not scan it.
pub(crate) fn advance(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    class: Class,
) -> Result<Option<NetworkNodeId>, Error> {
    if let Some(known) = cx.tables.network().nodes.get(node.index()) {
        let edge = known.scans.binary_search_by_key(&class, |&(class, _)| class);
        return Ok(edge.ok().map(|edge| known.scans[edge].1));
    }
    match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Lexeme(_) => nodes.derive(cx, node, class),
        NodeKind::Permutation(_) | NodeKind::Distinct(_) => distinct::scan(nodes, cx, node, class),
        NodeKind::Counter(..) | NodeKind::AfterAnyText(..) => Ok(None),
    }
}

/// Returns false only if it is certain that `node` takes no text that begins with `byte`. An exceeded limit
/// counts as uncertain, because it need not matter for this byte; scanning decides.
#[inline]
pub(crate) fn may_take(nodes: &mut NodeFactory, cx: Context<'_>, node: NetworkNodeId, byte: u8) -> bool {
    let cell = cx.tables.first_bytes_cell(node);
    match cell.get() {
        Some(bytes) => bytes.contains(byte),
        // The FIRST set of a dynamic node may need derivatives, which scanning computes only if needed.
        None if node.index() >= cx.tables.network().nodes.len() => true,
        None => first_sets::of_network_node(nodes, cx, node)
            .map_or(true, |bytes| cell.get_or_init(|| bytes).contains(byte)),
    }
}

/// Returns true if a node scans by itself, without a call.
pub(crate) fn has_scans(cx: Context<'_>, node: NetworkNodeId) -> bool {
    match cx.tables.network().nodes.get(node.index()) {
        Some(known) => !known.scans.is_empty(),
        None => match cx.tables.dynamic_nodes().get(node).kind {
            NodeKind::Lexeme(_) | NodeKind::Distinct(_) => true,
            NodeKind::Permutation(ref state) => state.distinct_start.is_some(),
            NodeKind::Counter(..) | NodeKind::AfterAnyText(..) => false,
        },
    }
}

/// Returns the bytes that at least one of the scanning items takes.
pub(crate) fn live_bytes(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    scanners: &[Item],
) -> Result<ByteSet, Error> {
    let mut bytes = ByteSet::default();
    for item in scanners {
        if item.node.index() < cx.tables.network().nodes.len() {
            bytes = bytes.union(cx.tables.inspect().scanned_bytes(item.node));
            continue;
        }
        let taken = match cx.tables.dynamic_nodes().get(item.node).kind {
            NodeKind::Lexeme(ref state) => nodes.live_bytes(state.language)?,
            _ => distinct::scanned_bytes(nodes, cx, item.node)?,
        };
        bytes = bytes.union(&taken);
    }
    Ok(bytes)
}
