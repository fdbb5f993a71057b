// Records what this machine's driver answers:
//   recorder programs FIRST_SEED COUNT [basic|rich|built|nested] [DEVICES]
//   recorder probes
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "probes.h"
#include "programs.h"

int main(int count, char **words) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fprintf(stderr, "no CUDA device\n");
    return 1;
  }
  if (count == 2 && strcmp(words[1], "probes") == 0) {
    return record_probes(devices);
  }
  if (count >= 4 && strcmp(words[1], "programs") == 0) {
    std::string word = count > 4 ? words[4] : "basic";
    Programs kind = word == "nested" ? NESTED : word == "built" ? BUILT : word == "rich" ? RICH : BASIC;
    int wanted = count > 5 ? atoi(words[5]) : 1;
    if (wanted < 1 || wanted > 2 || wanted > devices) {
      fprintf(stderr, "%d devices wanted, %d present; a program uses 1 or 2\n", wanted, devices);
      return 1;
    }
    return record_programs(strtoull(words[2], nullptr, 10), atoi(words[3]), kind, wanted);
  }
  fprintf(stderr, "usage: recorder programs FIRST_SEED COUNT [basic|rich|built|nested] [DEVICES]\n       recorder probes\n");
  return 2;
}
