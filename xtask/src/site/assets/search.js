// Searches the site in the page, without a network: `entries` comes from entries.js of the same language, `pages` from pages.js.
"use strict";

const NAMED = 1000;
const CODE_WEIGHT = 40;
const LARGEST = 20;
/** What the words of a section of the documentation count beside those of an entry. */
const SECTION = 0.4;

/** Text as it is compared: lower case, without the marks that people leave out. */
function plain(text) {
  return text.toLowerCase().replace(/[`"'’]/g, "");
}

/** The words of a query; Chinese has no spaces, so a run of it is cut into pairs of characters. */
function words(query) {
  const found = [];
  for (const word of plain(query).split(/[\s,;:()[\]{}。，；：（）]+/)) {
    const han = word.match(/[\u4e00-\u9fff]+/g);
    if (han === null) {
      if (word.length > 1) found.push(word);
      continue;
    }
    for (const run of han) {
      if (run.length < 3) found.push(run);
      for (let i = 0; run.length > 2 && i + 1 < run.length; i += 1) found.push(run.slice(i, i + 2));
    }
    for (const latin of word.split(/[\u4e00-\u9fff]+/)) if (latin.length > 1) found.push(latin);
  }
  return found;
}

/** Whether a query is nothing but a name or the title of an entry. */
function isNamed(entry, query) {
  const asked = plain(query.trim());
  return [...entry.keys, entry.title].some((name) => plain(name) === asked);
}

/** How well an entry's words answer a query's: rare places count more than the running text. */
function wordScore(entry, wanted) {
  let score = 0;
  for (const word of wanted) {
    if (entry.keys.some((key) => plain(key) === word)) score += 60;
    else if (plain(entry.name).includes(word)) score += 20;
    else if (plain(entry.title).includes(word)) score += 16;
    else if (plain(entry.text).includes(word)) score += 5;
  }
  return wanted.length === 0 ? 0 : score / Math.sqrt(wanted.length);
}

const compiled = new Map();

/** The pattern as an expression of this browser, null if it does not know the syntax. */
function expression(pattern) {
  if (!compiled.has(pattern)) {
    const insensitive = pattern.startsWith("(?i)");
    try {
      compiled.set(pattern, new RegExp(insensitive ? pattern.slice(4) : pattern, insensitive ? "im" : "m"));
    } catch {
      compiled.set(pattern, null);
    }
  }
  return compiled.get(pattern);
}

/** How strongly the texts that the entry is known by speak for it, from 0 to 100, as `cgsan explain` adds them up. */
function patternScore(entry, query) {
  const matches = (pattern) => expression(pattern)?.test(query) ?? false;
  let doubt = 1;
  for (const pattern of entry.patterns) {
    const fits = matches(pattern.matches) && pattern.with.every(matches) && !pattern.without.some(matches);
    if (fits) doubt *= 1 - pattern.weight / 100;
  }
  return 100 * (1 - doubt);
}

/** How strongly the codes in a query speak for an entry. */
function codeScore(entry, query) {
  const numbers = query.match(/\b\d{1,3}\b/g) ?? [];
  return entry.codes.some((code) => numbers.includes(String(code))) ? CODE_WEIGHT : 0;
}

/** The entries and sections that answer a query, best first. */
function search(query) {
  const wanted = words(query);
  return [...entries, ...pages]
    .map((entry) => ({
      entry,
      score:
        (isNamed(entry, query) ? NAMED : 0) +
        wordScore(entry, wanted) * (entry.id === "" ? SECTION : 1) +
        3 * patternScore(entry, query) +
        codeScore(entry, query),
    }))
    .filter((result) => result.score > 0)
    .sort((a, b) => b.score - a.score || a.entry.address.localeCompare(b.entry.address))
    .slice(0, LARGEST)
    .map((result) => result.entry);
}

/** Shows the results of a query, or the whole list where there is no query. */
function show(query) {
  const results = document.getElementById("results");
  const found = search(query);
  const asked = query.trim() !== "";
  document.getElementById("families").hidden = asked;
  document.getElementById("nothing").hidden = !asked || found.length > 0;
  results.replaceChildren(
    ...found.map((entry) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = entry.address;
      const mark = document.createElement(entry.id === "" ? "span" : "code");
      mark.textContent = entry.id === "" ? `${entry.mark} ›` : entry.mark;
      link.append(mark, ` ${entry.title}`);
      item.append(link);
      return item;
    }),
  );
}

const box = document.getElementById("query");
box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", () => {
  show(box.value);
});
show(box.value);
