import { describePackStore } from '../pack-store-suite.ts';
import { openOwnS3Stub } from './open-s3-stub.ts';

describePackStore('an object store', openOwnS3Stub);
