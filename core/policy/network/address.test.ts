import { expect, test } from 'vitest';
import { classifyAddress, parseAddress } from './address.ts';

const V4 = ['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '255.255.255.255', '224.0.0.1', '168.63.129.16'];
const V6 = ['::1', '::', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'ff02::1', 'fd00:ec2::254'];
test.for([...V4, ...V6, '100.100.100.200', '192.0.0.192', 'text', '0x7f.0.0.1', '2130706433', '127.1', '0177.0.0.1'])(
  '%s leads to this machine, or to none',
  (address) => expect(classifyAddress(address)).toBe('local'),
);

const CONTAINED = ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:127.0.0.1'];
test.for([...CONTAINED, '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:1:2:3:4:80ff:fffe'])(
  '%s contains an address of this machine',
  (address) => expect(classifyAddress(address)).toBe('local'),
);

test.for(['10.0.0.7', '192.168.1.1', '172.31.0.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.7', '64:ff9b::a00:7'])(
  '%s is in a private network',
  (address) => expect(classifyAddress(address)).toBe('private'),
);

test.for(['151.101.0.223', '172.32.0.1', '2a04:4e42::223', '::ffff:151.101.0.223', '2002:9765:df::1', '8.8.8.8'])(
  '%s is public',
  (address) => expect(classifyAddress(address)).toBe('public'),
);

test.for([
  '1:2:3:4:5:6:7',
  '1::2::3',
  ':::',
  '1:2:3:4:5:6:7:8:9',
  '12345::',
  '::1%',
  '1.2.3.4%x',
  '::1.2.3',
  '1.2.3.256',
  '01.2.3.4',
  '',
])('%j is no address', (text) => expect(parseAddress(text)).toBeUndefined());

test('an address has its bytes', () => {
  expect(parseAddress('1.2.3.4')).toEqual([1, 2, 3, 4]);
  expect(parseAddress('1:2:3:4:5:6:7:8')).toEqual([0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]);
  expect(parseAddress('1::1.2.3.4')).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
});
