/** Names that are never in the public DNS. Source: security T29; RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476. */
export const SPECIAL_USE_NAMES: readonly string[] =
  'alt arpa example internal invalid local localhost onion test'.split(' ');

/**
 * Labels that cannot be platform domains: visitors would take them for the service, and programs for a configuration
 * host. Source: api §4.
 */
export const RESERVED_LABELS: ReadonlySet<string> = new Set(
  (
    'about abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover berth billing ' +
    'broadcasthost cdn checkout claim console dashboard dns edge email ftp gateway help hostmaster imap internal ' +
    'isatap legal local localhost login logout mail metrics mta-sts mx1 mx2 no-reply noreply ns1 ns2 ns3 ns4 oauth ' +
    'origin payment payments pop3 postmaster privacy proxy register root security setup sftp sign-in sign-up signin ' +
    'signup smtp ssh sso static status support system terms vpn webmail webmaster wpad www'
  ).split(' '),
);
