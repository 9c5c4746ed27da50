/** Where the page is served, which may be below a path of a proxy. Owns addresses; knows no requests. */

const DEEP = /\/s\/[^/]*$/;

/** The address of the page's root, with a slash at the end. */
export const root = new URL(location.pathname.replace(DEEP, '/').replace(/[^/]*$/, ''), location.origin);

/** The path that shows a session. */
export function sessionPath(sessionId: string): string {
  return new URL(`s/${encodeURIComponent(sessionId)}`, root).pathname;
}

/** The session that a path names. */
export function sessionInPath(pathname: string): string | undefined {
  return decoded(DEEP.exec(pathname)?.[0].slice(3));
}

/** The item that an address names behind its hash, unless that is a code to sign in. */
export function itemInHash(hash: string): string | undefined {
  const name = decoded(hash.slice(1));
  return name?.startsWith('c=') ? undefined : name;
}

/** Nothing, if it was not encoded: anybody can make up an address. */
function decoded(name: string | undefined): string | undefined {
  try {
    return name ? decodeURIComponent(name) : undefined;
  } catch {
    return undefined;
  }
}

/** The address of an item, to give to others. */
export function itemAddress(sessionId: string, itemId: string): string {
  return new URL(`s/${encodeURIComponent(sessionId)}#${encodeURIComponent(itemId)}`, root).href;
}
