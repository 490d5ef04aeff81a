import { KlausError } from '@klaus/core/protocol';

/**
 * A line of classic BPF, in the subset that seccomp needs. `load` reads 32 bits at an offset of `seccomp_data`; `jump`
 * compares the accumulator and jumps to a label, or continues with the next line without one; `label` marks the line
 * after it.
 */
export type BpfLine =
  | { op: 'load'; offset: number }
  | { op: 'jump'; test: 'eq' | 'ge' | 'set'; value: number; to?: string; otherwise?: string }
  | { op: 'return'; value: number }
  | { op: 'label'; name: string };

// BPF_LD|BPF_W|BPF_ABS, BPF_JMP|…|BPF_K, BPF_RET|BPF_K (linux/bpf_common.h)
const LOAD = 0x20;
const RETURN = 0x06;
const JUMP = { eq: 0x15, ge: 0x35, set: 0x45 } as const;

/**
 * Encodes lines as an array of `struct sock_filter` (8 bytes each, little endian, as x86-64 and AArch64 are).
 *
 * @throws KlausError `internal` for an unknown label, a jump backwards or one over more than 255 lines.
 */
export function assemble(lines: readonly BpfLine[]): Uint8Array {
  const labels = new Map<string, number>();
  const code: Exclude<BpfLine, { op: 'label' }>[] = [];
  for (const line of lines) {
    if (line.op === 'label') labels.set(line.name, code.length);
    else code.push(line);
  }
  const bytes = new Uint8Array(code.length * 8);
  const view = new DataView(bytes.buffer);
  const distance = (from: number, label: string | undefined): number => {
    if (label === undefined) return 0;
    const to = labels.get(label);
    const skip = to === undefined ? -1 : to - from - 1;
    if (skip < 0 || skip > 255) throw new KlausError('internal', `seccomp: the jump to "${label}" cannot be encoded`);
    return skip;
  };
  for (const [at, line] of code.entries()) {
    const code16 = line.op === 'load' ? LOAD : line.op === 'return' ? RETURN : JUMP[line.test];
    view.setUint16(at * 8, code16, true);
    if (line.op === 'jump') {
      view.setUint8(at * 8 + 2, distance(at, line.to));
      view.setUint8(at * 8 + 3, distance(at, line.otherwise));
    }
    view.setUint32(at * 8 + 4, line.op === 'load' ? line.offset : line.value, true);
  }
  return bytes;
}
