//! Compares the trie with the tokens that it was built from.

use std::collections::{BTreeMap, BTreeSet};

use grammask_trie::index::TrieIndex;
use grammask_trie::{Config, Error, Limit, LimitExceeded, Limits, TokenId, Trie, TrieNodeId};
use proptest::collection::vec;
use proptest::prelude::*;

fn trie(tokens: &[&[u8]]) -> Trie {
    let tokens: Vec<(TokenId, &[u8])> = (0..).map(TokenId).zip(tokens.iter().copied()).collect();
    let trie = Trie::new(&tokens, &Config::default()).unwrap();
    trie.check().unwrap();
    trie
}

/// Few letters and short tokens, so that prefixes and duplicates are common.
fn tokens() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(prop::sample::select(&[0, 1, b'a', b'b', 0xff][..]), 0..12), 0..60)
}

fn given(tokens: &[Vec<u8>]) -> Vec<(TokenId, &[u8])> {
    (0..).map(TokenId).zip(tokens.iter().map(Vec::as_slice)).collect()
}

proptest! {
    #[test]
    fn paths_of_the_index_are_those_of_the_trie(tokens in tokens()) {
        let trie = Trie::new(&given(&tokens), &Config::default()).unwrap();
        let index = TrieIndex::new(&trie);
        for root in (0..trie.len() as u32).map(TrieNodeId) {
            let Some(inner) = index.inner(root) else { continue };
            for node in (root.0 + 1..trie.end(root).0).map(TrieNodeId) {
                let path = index.path(inner, node);
                prop_assert_eq!(&trie.path(node)[trie.depth(root)..], path.as_slice());
            }
        }
    }
}

#[test]
fn nodes_are_numbered_depth_first() {
    let trie = trie(&[b"ab", b"a", b"abc", b"b", b"xyz", b"a", b""]);
    insta::assert_snapshot!(format!("{trie:#}"), @r#"
    8 nodes, 7 tokens, depth 3
    node0 token6
      node1 "a" token1 token5
        node2 "b" token0
          node3 "c" token2
      node4 "b" token3
      node5 "x"
        node6 "y"
          node7 "z" token4
    "#);
}

#[test]
fn an_empty_vocabulary_has_a_root() {
    let trie = trie(&[]);
    assert_eq!((trie.len(), trie.end(TrieNodeId::ROOT), trie.max_depth()), (1, TrieNodeId(1), 0));
    assert!(!trie.has_children(TrieNodeId::ROOT) && trie.subtree_tokens(TrieNodeId::ROOT).is_empty());
    assert_eq!(trie.to_string(), "1 nodes, 0 tokens, depth 0");
}

#[test]
fn empty_tokens_end_at_the_root() {
    let trie = trie(&[b"", b"a", b""]);
    assert_eq!(trie.tokens(TrieNodeId::ROOT), [TokenId(0), TokenId(2)]);
    assert_eq!(trie.tokens_below(TrieNodeId::ROOT), [TokenId(1)]);
}

#[test]
fn all_bytes_are_children_of_the_root() {
    let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
    let trie = trie(&bytes.iter().map(|byte| &byte[..]).collect::<Vec<_>>());
    assert!(trie.children(TrieNodeId::ROOT).map(|node| trie.byte(node)).eq(0..=255));
    assert_eq!(trie.child(TrieNodeId::ROOT, 255), Some(TrieNodeId(256)));
}

#[test]
fn longest_allowed_token_fits() {
    let long = vec![b'x'; usize::from(u16::MAX)];
    let trie = trie(&[&long, &long[1..]]);
    assert_eq!((trie.len(), trie.max_depth()), (65_536, 65_535));
    assert_eq!(trie.path(TrieNodeId(65_535)), long);
    assert_eq!(trie.parent(TrieNodeId(65_535)), Some(TrieNodeId(65_534)));
}

#[test]
fn limits_name_the_token() {
    let config = Config::from(Limits { max_token_bytes: 3, max_bytes: 5, ..Limits::default() });
    let build = |tokens: &[(TokenId, &[u8])]| Trie::new(tokens, &config).unwrap_err();
    let too_long = LimitExceeded { limit: Limit::MaxTokenBytes, value: 3, found: Some(4) };
    assert_eq!(build(&[(TokenId(4), b"abcd")]), Error::LimitExceeded { id: Some(4), exceeded: too_long });
    let too_many = LimitExceeded { limit: Limit::MaxBytes, value: 5, found: None };
    assert_eq!(
        build(&[(TokenId(4), b"abc"), (TokenId(2), b"abc")]),
        Error::LimitExceeded { id: Some(2), exceeded: too_many }
    );
    assert!(Trie::new(&[(TokenId(0), b"abc"), (TokenId(1), b"ab")], &config).is_ok());
}

proptest! {
    #[test]
    fn every_token_ends_at_the_node_of_its_bytes(tokens in tokens()) {
        let trie = Trie::new(&given(&tokens), &Config::default()).unwrap();
        trie.check().unwrap();
        let mut read_back = BTreeMap::new();
        for node in (0..trie.len() as u32).map(TrieNodeId) {
            for &id in trie.tokens(node) {
                prop_assert_eq!(read_back.insert(id, trie.path(node)), None);
            }
        }
        let expected: BTreeMap<_, _> = given(&tokens).into_iter().map(|(id, bytes)| (id, bytes.to_vec())).collect();
        prop_assert_eq!(read_back, expected);
    }

    #[test]
    fn nodes_are_exactly_the_prefixes_of_tokens(tokens in tokens()) {
        let trie = Trie::new(&given(&tokens), &Config::default()).unwrap();
        let mut prefixes: BTreeSet<&[u8]> = BTreeSet::from([&b""[..]]);
        prefixes.extend(tokens.iter().flat_map(|token| (0..=token.len()).map(|end| &token[..end])));
        // Depth first by ascending byte is the order of the prefixes.
        let nodes: Vec<Vec<u8>> = (0..trie.len() as u32).map(|n| trie.path(TrieNodeId(n))).collect();
        prop_assert!(nodes.iter().map(Vec::as_slice).eq(prefixes.iter().copied()));
        for (n, prefix) in (0..).zip(&prefixes) {
            prop_assert_eq!(trie.find(prefix), Some(TrieNodeId(n)));
            let parent = prefix.split_last().map(|(_, shorter)| trie.find(shorter).unwrap());
            prop_assert_eq!(trie.parent(TrieNodeId(n)), parent);
            let mut longer = prefix.to_vec();
            longer.push(7);
            prop_assert_eq!(trie.find(&longer), None);
        }
    }

    #[test]
    fn subtree_has_the_tokens_that_begin_with_its_path(tokens in tokens()) {
        let trie = Trie::new(&given(&tokens), &Config::default()).unwrap();
        for node in (0..trie.len() as u32).map(TrieNodeId) {
            let path = trie.path(node);
            let select = |keep: &dyn Fn(&[u8]) -> bool| -> BTreeSet<TokenId> {
                given(&tokens).into_iter().filter(|(_, bytes)| keep(bytes)).map(|(id, _)| id).collect()
            };
            let set = |ids: &[TokenId]| ids.iter().copied().collect::<BTreeSet<_>>();
            prop_assert_eq!(set(trie.tokens(node)), select(&|bytes| bytes == path));
            prop_assert_eq!(set(trie.subtree_tokens(node)), select(&|bytes| bytes.starts_with(&path)));
            prop_assert_eq!(
                set(trie.tokens_below(node)),
                select(&|bytes| bytes.starts_with(&path) && bytes != path)
            );
            prop_assert_eq!(trie.has_children(node), trie.children(node).next().is_some());
        }
    }

    #[test]
    fn order_of_tokens_does_not_matter(tokens in tokens()) {
        let mut shuffled = given(&tokens);
        shuffled.reverse();
        prop_assert_eq!(Trie::new(&shuffled, &Config::default()), Trie::new(&given(&tokens), &Config::default()));
    }

    #[test]
    fn columns_agree_with_the_accessors(tokens in tokens()) {
        let trie = Trie::new(&given(&tokens), &Config::default()).unwrap();
        for n in 0..trie.len() {
            let node = TrieNodeId(n as u32);
            let columns = trie.columns();
            let (end, start) = (columns.ends[n], columns.token_start(n));
            prop_assert_eq!(trie.end(node).0, end);
            prop_assert_eq!(trie.byte(node), columns.bytes[n]);
            prop_assert_eq!(trie.depth(node), columns.depth(n));
            let subtree = &columns.tokens[start as usize..columns.token_start(end as usize) as usize];
            prop_assert_eq!(trie.subtree_tokens(node), subtree);
            prop_assert_eq!([trie.tokens(node), trie.tokens_below(node)].concat(), subtree);
        }
    }
}
