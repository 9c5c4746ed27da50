/** The part of Trusted Types that is in use; browsers without it have no `trustedTypes`. */
interface TrustedTypePolicyRules {
  createHTML?: (html: string) => string;
  createScriptURL?: (url: string) => string;
}

interface TrustedTypePolicyMade {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

declare var trustedTypes: { createPolicy(name: string, rules: TrustedTypePolicyRules): TrustedTypePolicyMade } | undefined;
