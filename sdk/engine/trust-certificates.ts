import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readCertificates } from '@klaus/adapters/models';

const trusted = new Set<string>();

/**
 * Trusts the certificates of a file in this process, in addition to those of Node: connections to MCP servers and of the
 * web tools have no options of their own.
 *
 * @param file Absolute, or below `~/`. Undefined: nothing changes.
 * @throws KlausError `config` for a file without certificates.
 */
export function trustCertificates(file: string | undefined): void {
  if (file === undefined) return;
  const text = readCertificates(file);
  if (trusted.has(text)) return;
  setDefaultCACertificates([...getCACertificates('default'), text]);
  trusted.add(text);
}
