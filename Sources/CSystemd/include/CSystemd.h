#ifndef CSYSTEMD_H
#define CSYSTEMD_H
#endif
