/** What may be given to `innerHTML`: a `TrustedHTML` where the browser has them. */
export type SafeHtml = string & { readonly safe: unique symbol };

/** Remote images become `<span class="image-placeholder" data-image-src data-image-alt>`. */
export declare function createSanitizer(window: Window & typeof globalThis): (html: string) => SafeHtml;
export declare function isSafeLink(address: string): boolean;
