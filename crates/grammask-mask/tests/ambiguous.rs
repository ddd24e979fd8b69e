//! Highly ambiguous texts. Inside one token a rule completes hundreds of times, at sets of trie nodes that
//! overlap, and one notification of its callers reports the new nodes of several sets. The masks equal those
//! of walking the trie.

mod walking;

#[test]
fn batched_notifications_give_the_masks_of_walking() {
    let walked = walking::check(&walking::vocabulary(false), GRAMMARS);
    // Otherwise no summaries would have been compared.
    assert!(walked.is_empty(), "{walked:?}");
}

const GRAMMARS: &[&str] = &[
    "start ::= (#'[^a]' | #'[a-f0-9](?:a|b){0,20}')+;",
    "start ::= (#'[^a]' | #'[a-f0-9](?:a|b){2,20}x')+ '\"';",
    "start ::= (except!('ab', 17) | except!('  ', 8) 'a')+;",
    "start ::= (#'(?s:.){1,20}' | 'a')+ 'x';",
    "start ::= (#'(?s-u:.){2,9}' | 'a')+;",
    "start ::= (#'[^a]{2,}\\\\s*' | #'[a-z-]')+ '\"';",
    "start ::= (#'[a-z]{1,30}' ' ' | #'[^ ]{2,12}' | #'[ \"]{1,5}')+;",
    // Rules that call each other and themselves, on both sides.
    "start ::= text '\"'; text ::= text text | #'[ab]{1,3}' | pair; pair ::= 'a' text? 'b' | #'[^b]{2,4}';",
    "start ::= list; list ::= item list | item; item ::= #'[ab]{1,2}' | item 'x' | 'b' list ' ' | 'é';",
    "start ::= start middle start | #'[ab]' | ''; middle ::= #'[^a]{1,2}' | start 'b';",
    "start ::= (word | phrase | pair)+; word ::= #'[a-z]+'; pair ::= word ' ' word | word phrase; phrase ::= #'[a-z \"]{3,9}';",
    "start ::= 'x'? rest; rest ::= one rest | two rest | '\"'; one ::= 'a' | 'ab' | one 'b'; two ::= 'b' | 'ba' two?;",
];
